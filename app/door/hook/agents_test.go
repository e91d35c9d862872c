package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/gemini"
	"github.com/saysohq/sayso/app/door/hook/qwen"
	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

// blockingStep sends an event and says what the agent is told; or a person decides.
type blockingStep struct {
	event  string           // with its members, as the agent spells it
	person *sayso.Outcome   // who answers what is open
	want   string           // "" says nothing, waits that it waits
	edit   func(dir string) // before the step
}

const waits = "(waits)"

func sent(name, members string) string {
	return `{"session_id":"s1","cwd":"DIR","hook_event_name":"` + name + `",` + members + `}`
}

const (
	qwenAsks   = `"tool_name":"ask_user_question","tool_input":{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]},{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"Auth","description":"x"},{"label":"Search","description":"y"}]}]}`
	geminiAsks = `"tool_name":"ask_user","tool_input":{"questions":[{"header":"DB","options":[{"description":"a server","label":"PostgreSQL"},{"description":"a file","label":"SQLite"}],"question":"Which database?","type":"choice"}]}`
	touch      = `"permission_mode":"default","tool_name":"run_shell_command","tool_input":{"command":"touch q1","description":"D","is_background":false}`
	change     = `"permission_mode":"default","tool_name":"edit","tool_input":{"file_path":"DIR/a.txt","old_string":"two","new_string":"TWO"}`
	dialogOpen = `"notification_type":"ToolPermission","message":"Tool Confirm Shell Command requires execution","details":{"type":"exec","title":"Confirm Shell Command","command":"touch q1","rootCommand":"touch"}`
)

func picks(ids ...string) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i, id := range ids {
		o.Answers = append(o.Answers, sayso.Answer{QuestionID: fmt.Sprint("q", i+1), Selected: strings.Split(id, "+")})
	}
	return o
}

func verdict(offer, words, input string) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}, Note: words, Input: input}}}
}

func qwenDecides(decision string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":` + decision + `}}`
}

func lateOf(event, text string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"The user has responded to a question that you asked earlier, after the call had ended:\n\n` + text + `\n"}}`
}

// TestBlocking plays the hooks of agents whose own dialog opens after the hook.
func TestBlocking(t *testing.T) {
	t.Parallel()
	const both = `User was asked \"Which database?\" and chose SQLite. User was asked \"Which parts?\" and chose Auth, Search.`
	for name, tc := range map[string]struct {
		agent hook.Agent
		steps []blockingStep
		hub   string
	}{
		"qwen: answered in the inbox": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", qwenAsks), want: waits},
			{person: picks("o2", "o1+o2"), want: qwenDecides(`{"behavior":"deny","message":"User has provided the following answers:\n\n**DB**: SQLite\n**Parts**: Auth, Search"}`)},
			{event: sent("UserPromptSubmit", `"prompt":""`), want: "{}"},
		}, "answered on phone, received"},
		"qwen: declined in the inbox": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", qwenAsks), want: waits},
			{person: &sayso.Outcome{Status: sayso.StatusDeclined}, want: qwenDecides(`{"behavior":"deny","message":"User declined to answer the questions."}`)},
		}, "declined on phone, received"},
		"qwen: answered at the terminal": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", qwenAsks), want: "{}"},
			{event: sent("PostToolUse", qwenAsks+`,"tool_use_id":"t1","tool_response":{"llmContent":"User has provided the following answers:\n\n**DB**: my own\nwords\n**Parts**: Auth, Search"}`), want: "{}"},
		}, `answered on qwen-code, received: [q1 [] "my own\nwords"] [q2 [o1 o2] ""]`},
		"qwen: answered at the terminal and elsewhere": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", qwenAsks), want: "{}"},
			{person: picks("o1", "o1")},
			{event: sent("PostToolUse", qwenAsks+`,"tool_response":{"llmContent":"User has provided the following answers:\n\n**DB**: SQLite\n**Parts**: Auth"}`), want: `{"systemMessage":"sayso: this question was also answered at \"phone\". Qwen Code goes on with what was said here; the other answer does not count."}`},
		}, "answered on phone, received"},
		"qwen: late": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", qwenAsks), want: "{}"},
			{person: picks("o2", "o1+o2")},
			{event: sent("UserPromptSubmit", `"prompt":"go on","submitted_prompt":"go on"`), want: lateOf("UserPromptSubmit", both)},
			{event: sent("UserPromptSubmit", `"prompt":"more","submitted_prompt":"more"`), want: "{}"},
		}, "answered on phone, received"},
		"qwen: tool results withdraw nothing, prompts do": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", qwenAsks), want: "{}"},
			{event: sent("UserPromptSubmit", `"prompt":""`), want: "{}"},
			{person: picks("o2", "o1+o2")},
			{event: sent("UserPromptSubmit", `"prompt":""`), want: lateOf("UserPromptSubmit", both)},
			{event: sent("PermissionRequest", strings.Replace(qwenAsks, "Which", "What", 1)), want: "{}"},
			{event: sent("UserPromptSubmit", `"prompt":"x","submitted_prompt":"x"`), want: "{}"},
		}, "answered on phone, received; cancelled on "},
		"qwen: allowed": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", touch), want: waits},
			{person: verdict("allow", "", ""), want: qwenDecides(`{"behavior":"allow"}`)},
			{event: sent("PostToolUse", touch+`,"tool_use_id":"t1","tool_response":{}`), want: "{}"},
		}, "answered on phone, received"},
		"qwen: allowed with a changed input": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", touch), want: waits},
			{person: verdict("allow", "", `{"command":"touch q2"}`), want: qwenDecides(`{"behavior":"allow","updatedInput":{"command":"touch q2"}}`)},
		}, "answered on phone, received"},
		"qwen: denied with words": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", touch), want: waits},
			{person: verdict("deny", "use make", ""), want: qwenDecides(`{"behavior":"deny","message":"use make"}`)},
		}, "answered on phone, received"},
		"qwen: the file changed": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", change), want: waits, edit: writes("one\ntwo\n")},
			{person: verdict("allow", "", ""), want: qwenDecides(`{"behavior":"deny","message":"DIR/a.txt changed after it was shown to the user, so their decision was not used and nothing ran. Read it again and, if it is still needed, try again."}`), edit: writes("two\n")},
		}, "answered on phone, received"},
		"qwen: the dialog opens, and says so": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", touch), want: "{}"},
			{event: sent("Notification", `"message":"Qwen Code needs your permission to use run_shell_command","notification_type":"permission_prompt"`), want: "{}"},
			{event: sent("PostToolUse", touch+`,"tool_use_id":"t1","tool_response":{}`), want: "{}"},
		}, "cancelled on ; cancelled on , ran"},
		"qwen: a plan is for the terminal": {qwen.Agent(), []blockingStep{
			{event: sent("PermissionRequest", `"tool_name":"exit_plan_mode","tool_input":{"plan":"x"}`), want: "{}"},
		}, ""},
		"gemini: answered in the inbox": {gemini.Agent(), []blockingStep{
			{event: sent("BeforeTool", geminiAsks), want: waits},
			{person: picks("o2"), want: `{"decision":"deny","reason":"no dialog was shown, because the user answered elsewhere. The result is {\"answers\":{\"0\":\"SQLite\"}}"}`},
			{event: sent("BeforeAgent", `"prompt":"more"`), want: "{}"},
		}, "answered on phone, received"},
		"gemini: declined in the inbox": {gemini.Agent(), []blockingStep{
			{event: sent("BeforeTool", geminiAsks), want: waits},
			{person: &sayso.Outcome{Status: sayso.StatusDeclined}, want: `{"decision":"deny","reason":"no dialog was shown, because the user responded elsewhere. User dismissed ask_user dialog without answering."}`},
		}, "declined on phone, received"},
		"gemini: answered at the terminal": {gemini.Agent(), []blockingStep{
			{event: sent("BeforeTool", geminiAsks), want: "{}"},
			{event: sent("AfterTool", geminiAsks+`,"tool_response":{"llmContent":"{\"answers\":{\"0\":\"SQLite\"}}"}`), want: "{}"},
		}, `answered on gemini-cli, received: [q1 [o2] ""]`},
		"gemini: late": {gemini.Agent(), []blockingStep{
			{event: sent("BeforeTool", geminiAsks), want: "{}"},
			{person: picks("o2")},
			{event: sent("BeforeAgent", `"prompt":"more"`), want: lateOf("BeforeAgent", `User was asked \"Which database?\" and chose SQLite.`)},
		}, "answered on phone, received"},
		"gemini: dismissed": {gemini.Agent(), []blockingStep{
			{event: sent("BeforeTool", geminiAsks), want: "{}"},
			{event: sent("BeforeAgent", `"prompt":"more"`), want: "{}"},
		}, "cancelled on "},
		"gemini: a dialog for permission": {gemini.Agent(), []blockingStep{
			{event: sent("Notification", dialogOpen), want: "{}"},
			{event: sent("AfterTool", `"tool_name":"read_file","tool_input":{},"tool_response":{}`), want: "{}"},
		}, "pending on "},
		"gemini: a dialog for permission, allowed": {gemini.Agent(), []blockingStep{
			{event: sent("Notification", dialogOpen), want: "{}"},
			{event: sent("AfterTool", `"tool_name":"run_shell_command","tool_input":{"command":"touch q1"},"tool_response":{}`), want: "{}"},
		}, "cancelled on "},
		"gemini: a dialog for permission, seen and denied": {gemini.Agent(), []blockingStep{
			{event: sent("Notification", dialogOpen), want: "{}"},
			{person: picks("o1")},
			{event: sent("BeforeAgent", `"prompt":"more"`), want: "{}"},
		}, "answered on phone"},
		"gemini: a dialog for permission, left": {gemini.Agent(), []blockingStep{
			{event: sent("Notification", dialogOpen), want: "{}"},
			{event: sent("SessionEnd", `"reason":"exit"`), want: "{}"},
		}, "cancelled on "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { playBlocking(t, tc.agent, dir, tc.steps, tc.hub) })
		})
	}
}

func playBlocking(t *testing.T, a hook.Agent, dir string, steps []blockingStep, want string) {
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	opts := &hook.Options{Wait: time.Minute, Notes: filepath.Join(dir, "notes"), Read: readText}
	door := hook.New(a, h.Asker("t", sayso.Responder{ID: "me"}), opts)
	told := make(chan string, 1)
	defer synctest.Wait()
	for i, s := range steps {
		if s.edit != nil {
			s.edit(dir)
		}
		if s.person != nil {
			in := h.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "phone"})
			page, err := in.List(t.Context(), nil)
			if err != nil || len(page.Tickets) != 1 {
				t.Fatal(len(page.Tickets), err)
			}
			if _, err := in.Close(t.Context(), page.Tickets[0], s.person); err != nil {
				t.Fatal(err)
			}
		} else {
			e, err := a.Parse([]byte(strings.ReplaceAll(s.event, "DIR", dir)))
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				reply, _ := door.Take(context.WithoutCancel(t.Context()), e)
				told <- strings.TrimSpace(string(reply))
			}()
		}
		if s.want == waits {
			synctest.Wait()
			if len(told) > 0 {
				t.Fatalf("step %d: told %s at once", i, <-told)
			}
			continue
		}
		if s.want == "" {
			continue
		}
		if got := strings.ReplaceAll(<-told, dir, "DIR"); got != s.want {
			t.Errorf("step %d: told %s\nwant %s", i, got, s.want)
		}
	}
	page, err := h.List(t.Context(), "t", &hub.Filter{Status: hub.AnyStatus})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, x := range page.Tickets {
		rows = append(rows, rowOf(x, a.Info().Name))
	}
	slices.Sort(rows) // the list may have them in any order
	if got := strings.Join(rows, "; "); got != want {
		t.Errorf("the hub has %q, want %q", got, want)
	}
}

// TestWithdrawn: a question that was withdrawn at the hub is not told as one that was
// answered; the agent's own dialog opens.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		me := h.Asker("t", sayso.Responder{ID: "me"})
		e, err := gemini.Agent().Parse([]byte(sent("BeforeTool", geminiAsks)))
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan string, 1)
		go func() {
			reply, _ := hook.New(gemini.Agent(), me, nil).Take(t.Context(), e)
			told <- strings.TrimSpace(string(reply))
		}()
		synctest.Wait()
		page, err := me.List(t.Context(), nil)
		if err != nil || len(page.Tickets) != 1 {
			t.Fatal(page, err)
		}
		if _, err := me.Withdraw(t.Context(), page.Tickets[0].Handle, sayso.StatusCancelled, "not needed"); err != nil {
			t.Fatal(err)
		}
		if got := <-told; got != "{}" {
			t.Errorf("told %s", got)
		}
	})
}

// TestAskedAgain: a question that a person asked again waits for its answer, whatever is
// prompted meanwhile, and the session gets it with the next prompt.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		take := func(event string) string {
			e, err := gemini.Agent().Parse([]byte(event))
			if err != nil {
				t.Fatal(err)
			}
			reply, err := hook.New(gemini.Agent(), h.Asker("t", sayso.Responder{ID: "me"}), &hook.Options{Wait: time.Second}).Take(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSpace(string(reply))
		}
		desk := h.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}).(hub.Desk)
		say := func(x *hub.Ticket, option string) {
			if _, err := desk.Close(t.Context(), x, picks(option)); err != nil {
				t.Fatal(err)
			}
		}
		late := func(name string) string {
			return lateOf("BeforeAgent", `User was asked \"Which database?\" and chose `+name+`.`)
		}
		prompt := sent("BeforeAgent", `"prompt":"more"`)
		take(sent("BeforeTool", geminiAsks))
		page, err := desk.List(t.Context(), nil)
		if err != nil || len(page.Tickets) != 1 {
			t.Fatal(page, err)
		}
		say(page.Tickets[0], "o1")
		if got := take(prompt); got != late("PostgreSQL") {
			t.Errorf("told %s", got)
		}
		again, err := desk.AskAgain(t.Context(), page.Tickets[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := take(prompt); got != "{}" {
			t.Errorf("told %s", got)
		}
		say(again, "o2")
		if got := take(prompt); got != late("SQLite") {
			t.Errorf("told %s", got)
		}
	})
}

// TestNoticeIsNoQuestion: a notice is not noted as a question of the session, so that
// nothing is resumed when somebody has seen it.
func TestNoticeIsNoQuestion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		notes := &wake.Notes{Dir: filepath.Join(dir, "sessions")}
		opts := &hook.Options{Notes: filepath.Join(dir, "notes"), Wait: time.Second, Sessions: &hook.Sessions{Notes: notes, Agent: "gemini"}}
		for _, event := range []string{sent("Notification", dialogOpen), sent("BeforeTool", geminiAsks)} {
			e, err := gemini.Agent().Parse([]byte(event))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := hook.New(gemini.Agent(), h.Asker("t", sayso.Responder{ID: "me"}), opts).Take(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		page, err := h.List(t.Context(), "t", nil)
		if err != nil || len(page.Tickets) != 2 {
			t.Fatal(page, err)
		}
		if n := len(notes.AskedBy("gemini", "s1")); n != 1 {
			t.Errorf("%d asks are noted, not 1", n)
		}
	})
}

// rowOf says what became of an ask, and what was answered in the agent itself.
func rowOf(x *hub.Ticket, agent string) string {
	if x.Open() {
		return "pending on "
	}
	row := fmt.Sprintf("%s on %s", x.Status(), x.Outcome.By.Surface)
	if !x.Consumed.IsZero() {
		row += ", received"
	}
	for _, r := range x.History {
		if r.Why == hub.Late {
			row += ", ran"
		}
	}
	if x.Outcome.By.Surface == agent {
		row += ":"
		for _, ans := range x.Outcome.Answers {
			row += fmt.Sprintf(" [%s %s %q]", ans.QuestionID, ans.Selected, ans.Other)
		}
	}
	return row
}

func writes(text string) func(dir string) {
	return func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
}

func readText(path string) (*string, error) {
	b, err := os.ReadFile(path)
	text := string(b)
	return &text, err
}

// FuzzParse: what an agent sends is an event or an error, and an event can be asked
// about everything.
func FuzzParse(f *testing.F) {
	for _, s := range []string{qwenAsks, geminiAsks, touch, dialogOpen} {
		for _, name := range []string{"PermissionRequest", "BeforeTool", "PostToolUse", "AfterTool", "Notification"} {
			f.Add([]byte(sent(name, s+`,"tool_response":{"llmContent":"User has provided the following answers:\n\n**DB**: x"}`)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, a := range []hook.Agent{qwen.Agent(), gemini.Agent()} {
			e, err := a.Parse(data)
			if err != nil {
				continue
			}
			about := e.About()
			if ask, refusal := a.Info().Tool.Prepare(about.Call); refusal == nil {
				e.Said(ask)
			}
			if p, ok := e.(hook.Permission); ok && about.Meaning == hook.Permitting {
				p.Approval(nil)
			}
			if n, ok := e.(hook.Notice); ok && about.Meaning == hook.Noticing {
				n.Notice()
			}
			if !json.Valid(a.Info().Nothing) {
				t.Error("the reply that says nothing is not JSON")
			}
		}
	})
}
