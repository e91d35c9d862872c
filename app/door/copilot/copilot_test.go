package copilot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
)

const (
	aForm = `{"requestId":"r1","toolCallId":"call_1","message":"Which database?","requestedSchema":{"type":"object","properties":{
		"db":{"type":"string","title":"Database","oneOf":[{"const":"pg","title":"PostgreSQL"},{"const":"sqlite","title":"SQLite"}]}}}}`
	aNumber  = `{"requestId":"r1","toolCallId":"call_1","message":"How many?","requestedSchema":{"properties":{"n":{"type":"integer"}}}}`
	aCommand = `{"requestId":"r1","permissionRequest":{"kind":"shell","toolCallId":"call_1","fullCommandText":"touch a && touch b","shellType":"bash","intention":"Make files",
		"commandSegments":[{"workingDirectory":"/home/ann/shop/sub"}],"canOfferSessionApproval":true},
		"promptRequest":{"kind":"commands","commandIdentifiers":["touch"]},"permissionMode":"manual"}`
)

func TestQuestion(t *testing.T) {
	for words, want := range map[string]string{
		"SQLite":   `{"action":"accept","content":{"db":"sqlite"}}`,
		"MariaDB":  `{"action":"accept","content":{"db":"MariaDB"}}`,
		"declined": `{"action":"decline"}`,
	} {
		t.Run(words, func(t *testing.T) {
			with(t, func(x *extension) {
				x.event("elicitation.requested", aForm)
				if o := x.only().Ask.Origin; o.Conversation != "s1" || o.ToolCall != "call_1" || o.Host != "copilot" || o.Workspace != "shop" {
					t.Errorf("it comes from %+v", o)
				}
				x.Say("Which database?", words)
				x.wantTold(`elicitation {"requestId":"r1","result":` + want + `}`)
				x.event("elicitation.completed", `{"requestId":"r1","action":"accept","content":{"db":"pg"}}`) // the echo, or a lie
				if o := x.only().Outcome; o.By.Surface != "web" {
					t.Errorf("it became %+v", o)
				}
			})
		})
	}
}

func TestNumber(t *testing.T) {
	for words, want := range map[string]string{"3": `3`, "a few": `"a few"`, "0x10": `"0x10"`} {
		with(t, func(x *extension) {
			x.event("elicitation.requested", aNumber)
			x.Say("How many?", words)
			x.wantTold(`elicitation {"requestId":"r1","result":{"action":"accept","content":{"n":` + want + `}}}`)
		})
	}
}

// TestThere: what the person said in Copilot's own dialog.
func TestThere(t *testing.T) {
	for completed, want := range map[string]string{
		`"action":"accept","content":{"db":"sqlite"}`:  `answered [o2] ""`,
		`"action":"accept","content":{"db":"MariaDB"}`: `answered [] "MariaDB"`,
		`"action":"accept","content":{}`:               `unanswered`,
		`"action":"cancel"`:                            `cancelled`,
		`"action":"decline"`:                           `cancelled`,
		`"action":"new"`:                               `cancelled`,
	} {
		t.Run(completed, func(t *testing.T) {
			with(t, func(x *extension) {
				x.event("elicitation.requested", aForm)
				x.event("elicitation.completed", `{"requestId":"r1",`+completed+`}`)
				o := x.only().Outcome
				if o == nil {
					t.Fatal("it is still open")
				}
				got := string(o.Status)
				if len(o.Answers) > 0 && o.Status == sayso.StatusAnswered {
					got += fmt.Sprintf(" %v %q", o.Answers[0].Selected, o.Answers[0].Other)
				}
				if got != want || o.By.Kind == sayso.ByPerson {
					t.Errorf("it became %s by %+v", got, o.By)
				}
				x.wantTold()
			})
		})
	}
}

// TestNotOurs: what stays in Copilot alone.
func TestNotOurs(t *testing.T) {
	with(t, func(x *extension) {
		for kind, data := range map[string]string{
			"elicitation.requested": strings.Replace(aForm, `"message"`, `"elicitationSource":"db","message"`, 1),
			"permission.requested":  `{"requestId":"r2","permissionRequest":{"kind":"extension-permission-access","extensionName":"user:other"}}`,
			"user.message":          `{"requestId":"r3","message":"Which database?"}`,
			"elicitation.completed": `{"requestId":"r4","action":"accept"}`,
			"permission.completed":  `{"requestId":"r4","result":{"kind":"approved"}}`,
		} {
			x.event(kind, data)
		}
		x.event("permission.requested", `{"requestId":"r5","permissionRequest":{"kind":"mcp","serverName":"sayso","toolName":"sayso-ask_user","args":{}}}`)
		x.event("elicitation.requested", strings.Replace(aForm, `"message"`, `"mode":"url","message"`, 1))
		x.event("elicitation.requested", `{"requestId":"r6","message":"?","requestedSchema":{}}`)
		if all := x.All(); len(all) != 0 {
			t.Errorf("the hub has %+v", all[0].Ask)
		}
	})
}

func TestDecide(t *testing.T) {
	for _, c := range []struct{ offer, words, want string }{
		{"once", "", `{"kind":"approve-once"}`},
		{"session", "", `{"kind":"approve-for-session","approval":{"commandIdentifiers":["touch"],"kind":"commands"}}`},
		{"deny", "use tabs", `{"kind":"reject","feedback":"use tabs"}`},
		{"deny", "", `{"kind":"reject","feedback":"Go on without it."}`},
		{"stop", "", `{"kind":"reject"}`},
	} {
		t.Run(c.offer, func(t *testing.T) {
			with(t, func(x *extension) {
				x.event("permission.requested", aCommand)
				p := x.only().Ask.Approval
				if p.Kind != sayso.ApproveShell || p.Shown[0].Text != "touch a && touch b" || p.Cwd != "/home/ann/shop/sub" || p.Reason != "Make files" || p.Offer("session").Rule != "shell(touch)" {
					t.Errorf("it shows %+v", p)
				}
				x.decide(c.offer, c.words)
				x.wantTold(`permission {"requestId":"r1","result":` + c.want + `}`)
			})
		})
	}
}

// TestDecidedThere: only what a person chose counts as that.
func TestDecidedThere(t *testing.T) {
	const human = `,"decisionSource":"human_response"`
	for completed, want := range map[string]string{
		`"result":{"kind":"approved"}` + human:                                            "answered once",
		`"result":{"kind":"approved-for-session"}` + human:                                "answered session",
		`"result":{"kind":"approved-for-location"}` + human:                               "superseded",
		`"result":{"kind":"denied-interactively-by-user","feedback":"use tabs"}` + human:  "answered deny use tabs",
		`"result":{"kind":"denied-interactively-by-user"}` + human:                        "answered stop",
		`"result":{"kind":"approved"},"decisionSource":"assisted_approval"`:               "cancelled",
		`"result":{"kind":"approved"}`:                                                    "cancelled",
		`"result":{"kind":"denied-no-approval-rule-and-could-not-request-from-user"}`:     "cancelled",
		`"result":{"kind":"denied-interactively-by-user"},"decisionSource":"host_policy"`: "cancelled",
		`"result":{"kind":"something new"}` + human:                                       "superseded",
	} {
		t.Run(completed, func(t *testing.T) {
			with(t, func(x *extension) {
				x.event("permission.requested", aCommand)
				x.event("permission.completed", `{"requestId":"r1",`+completed+`}`)
				a := x.only()
				if a.Open() {
					t.Fatal("it is still open")
				}
				got := string(a.Outcome.Status)
				if v := a.Ask.Verdict(a.Outcome); v != nil {
					got = strings.TrimSpace(got + " " + v.Offer.ID + " " + v.Message)
				}
				if got != want {
					t.Errorf("it became %s, want %s", got, want)
				}
				x.wantTold()
			})
		})
	}
}

// TestFile: a change is allowed only while the file is as it was shown.
func TestFile(t *testing.T) {
	for name, c := range map[string]struct{ now, want string }{
		"as shown": {"one\ntwo\n", `{"kind":"approve-once"}`},
		"changed":  {"one\nother\n", `changed after it was shown to the user`},
		"gone":     {"", `changed after it was shown to the user`},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.txt")
			if c.now != "" {
				if err := os.WriteFile(file, []byte(c.now), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			with(t, func(x *extension) {
				x.event("permission.requested", strings.ReplaceAll(`{"requestId":"r1","permissionRequest":{"kind":"write","toolCallId":"call_1","intention":"Edit file","fileName":"FILE","diff":"…","newFileContents":"one\nTWO\n",
					"canOfferSessionApproval":true,"fileEdits":[{"before":{"path":"FILE","content":"one\ntwo\n"},"after":{"path":"FILE","content":"one\nTWO\n"}}]},"promptRequest":{"kind":"write"}}`, "FILE", file))
				p := x.only().Ask.Approval
				if p.Kind != sayso.ApproveEdit || len(p.Shown) != 1 || !strings.Contains(p.Shown[0].Text, "-two\n+TWO\n") || len(p.Offers) != 4 {
					t.Errorf("it shows %+v", p)
				}
				x.decide("once", "")
				if len(x.told) != 1 || !strings.Contains(x.told[0], c.want) {
					t.Errorf("Copilot was told %q, want %s", x.told, c.want)
				}
			})
		})
	}
}

// TestShown: everything that would run is shown, or nothing can be allowed.
func TestShown(t *testing.T) {
	for request, c := range map[string]struct {
		kind   sayso.ApprovalKind
		tool   string
		shown  string
		allows int
	}{
		`{"kind":"mcp","serverName":"db","toolName":"db-drop_table","args":{"table":"users"}}`: {sayso.ApproveMCP, "db/db-drop_table", "users", 1},
		`{"kind":"url","url":"https://example.org","intention":"Read"}`:                        {sayso.ApproveFetch, "url", "https://example.org", 1},
		`{"kind":"read","path":"/etc/hostname"}`:                                               {sayso.ApproveTool, "read", "/etc/hostname", 1},
		`{"kind":"memory","action":"store","fact":"tabs"}`:                                     {sayso.ApproveTool, "memory", "tabs", 1},
		`{"kind":"custom-tool","toolName":"deploy","args":{"to":"prod"}}`:                      {sayso.ApproveTool, "deploy", "prod", 1},
		`{"kind":"shell","fullCommandText":"x","requestSandboxBypass":true}`:                   {sayso.ApproveShell, "shell", "requestSandboxBypass", 1},
		`{"kind":"shell"}`:                 {sayso.ApproveShell, "shell", "", 0},
		`{"kind":"write","fileName":"/a"}`: {sayso.ApproveEdit, "write", "/a", 0},
		`{"kind":"write","fileName":"/a","newFileContents":"all new"}`:                                                              {sayso.ApproveEdit, "write", "all new", 1},
		`{"kind":"write","fileName":"/b","fileEdits":[{"before":{"path":"/a","content":"x"},"after":{"path":"/b","content":"y"}}]}`: {sayso.ApproveEdit, "write", "-x", 1},
		`{"kind":"teleport","to":"mars"}`: {sayso.ApproveTool, "teleport", "mars", 0},
	} {
		with(t, func(x *extension) {
			x.event("permission.requested", `{"requestId":"r1","permissionRequest":`+request+`}`)
			p := x.only().Ask.Approval
			var shown []string
			for _, part := range p.Shown {
				shown = append(shown, part.Text)
			}
			if p.Kind != c.kind || p.Tool != c.tool || !strings.Contains(strings.Join(shown, "\n"), c.shown) || len(p.Allows()) != c.allows || len(p.Denies()) != 2 {
				t.Errorf("%s is shown as %+v", request, p)
			}
		})
	}
}

func TestPlan(t *testing.T) {
	const aPlan = `{"requestId":"r1","toolCallId":"call_1","summary":"Two steps","actions":["interactive"],"planContent":"# Plan\n1. touch a\n"}`
	for _, c := range []struct{ offer, words, want string }{
		{"approve", "", `{"approved":true,"selectedAction":"interactive"}`},
		{"revise", "use tabs", `{"approved":false,"feedback":"use tabs"}`},
		{"revise", "", `{"approved":false,"feedback":"The user does not want this plan."}`},
	} {
		with(t, func(x *extension) {
			x.event("exit_plan_mode.requested", aPlan)
			p := x.only().Ask.Approval
			if p.Kind != sayso.ApprovePlan || p.Shown[len(p.Shown)-1].Text != "# Plan\n1. touch a\n" {
				t.Errorf("it shows %+v", p)
			}
			x.decide(c.offer, c.words)
			x.wantTold(`plan {"requestId":"r1","result":` + c.want + `}`)
		})
	}
	with(t, func(x *extension) {
		x.event("exit_plan_mode.requested", aPlan)
		x.event("exit_plan_mode.completed", `{"requestId":"r1","approved":true,"selectedAction":"autopilot"}`)
		if o := x.only().Outcome; o == nil || o.Status != sayso.StatusSuperseded {
			t.Errorf("it became %+v", o)
		}
	})
}

// TestBothAtOnce: an answer that Copilot did not take, because it had one, is not told
// with the next prompt.
func TestBothAtOnce(t *testing.T) {
	with(t, func(x *extension) {
		x.refuses = true
		x.event("elicitation.requested", aForm)
		x.Say("Which database?", "SQLite")
		x.wantTold(`elicitation {"requestId":"r1","result":{"action":"accept","content":{"db":"sqlite"}}}`)
		fmt.Fprintln(x.in, `{"jsonrpc":"2.0","id":7,"method":"prompt","params":{"session":"s1"}}`)
		synctest.Wait()
		if got := x.results[7]; got != `{"text":""}` {
			t.Errorf("the model is told %s", got) // its own dialog had the answer
		}
		fmt.Fprintln(x.in, `{"jsonrpc":"2.0","id":8,"method":"unknown","params":{}}`)
		synctest.Wait()
	})
}
