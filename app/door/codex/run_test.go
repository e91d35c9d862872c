package codex_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

const (
	aQuestion = `{"id":0,"method":"item/tool/requestUserInput","params":{"threadId":"th1","turnId":"tu1","itemId":"call_1","isBlocking":true,
		"questions":[{"id":"db","header":"DB","question":"Which database?","isOther":true,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}}`
	aCommand = `{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"th1","turnId":"tu1","itemId":"call_1","kind":"command",
		"command":"/bin/bash -lc 'touch c1'","cwd":"/home/ann/shop","reason":"need","availableDecisions":["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","c1"]}},"cancel"]}}`
	aChange = `{"id":0,"method":"item/fileChange/requestApproval","params":{"threadId":"th1","turnId":"tu1","itemId":"call_1","reason":null,"grantRoot":null}}`
	anEdit  = `{"type":"fileChange","id":"call_1","status":"inProgress","changes":[{"path":"/home/ann/shop/a.txt","kind":{"type":"update","move_path":null},"diff":"@@ -1 +1 @@\n-two\n+TWO\n"}]}`
)

// waiting is a session that waits for a request when we connect.
func waiting(t *testing.T, request, items string) *server {
	t.Helper()
	return start(t, &server{waits: true, items: items, pending: map[string]string{"0": request}})
}

func choose(s *server, offer string) {
	s.T.Helper()
	c := s.Client("web")
	defer c.Close()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}}}}
	all := s.All()
	at := slices.IndexFunc(all, func(t *hub.Ticket) bool { return t.Ask.Approval != nil })
	if _, err := c.Answer(s.T.Context(), all[at], o); err != nil {
		s.T.Fatal(err)
	}
}

func TestQuestion(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"SQLite":   `{"answers":{"db":{"answers":["SQLite"]}}}`,
		"MariaDB":  `{"answers":{"db":{"answers":["None of the above","user_note: MariaDB"]}}}`,
		"declined": `{"answers":{"db":{"answers":["user_note: The user declined to answer."]}}}`,
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			s := waiting(t, aQuestion, "")
			if o := s.asked().Ask.Origin; o.Conversation != "se1" || o.ToolCall != "call_1" || o.Host != "codex" || o.Workspace != "shop" {
				t.Errorf("it comes from %+v", o)
			}
			s.Say("Which database?", words)
			if got := s.reply("0"); got != want {
				t.Errorf("Codex was told %s,\n want %s", got, want)
			}
		})
	}
}

// TestQuestionThere: what was said in Codex is in the file of the session. Nothing was
// said if Codex answered by itself: then the question stays open.
func TestQuestionThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		output string
		want   string
	}{
		"an option":    {`{\"answers\":{\"db\":{\"answers\":[\"SQLite\"]}}}`, "o2"},
		"words":        {`{\"answers\":{\"db\":{\"answers\":[\"None of the above\",\"user_note: MariaDB\"]}}}`, "MariaDB"},
		"by itself":    {`{\"answers\":{}}`, "open"},
		"no answer":    {`aborted by user after 3.2s`, "cancelled"},
		"another call": {``, "superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := waiting(t, aQuestion, "")
			s.asked()
			call := "call_1"
			if c.output == "" {
				call = "call_9"
			}
			line := `{"type":"response_item","payload":{"type":"function_call_output","call_id":"` + call + `","output":"` + c.output + `"}}` + "\n"
			if err := os.WriteFile(s.rollout, []byte(line), 0o600); err != nil {
				t.Fatal(err)
			}
			s.settle("0")
			if c.want == "open" {
				s.say(`{"method":"thread/status/changed","params":{"threadId":"th1","status":{"type":"idle"}}}`)
				s.until("the session to be left", func() bool { return slices.Contains(s.called(), "thread/unsubscribe") })
				if !s.asked().Open() {
					t.Errorf("it became %+v", s.asked().Outcome)
				}
				return
			}
			if got := became(s.closed()); got != c.want {
				t.Errorf("it became %s: %+v, want %s", got, s.closed().Outcome, c.want)
			}
		})
	}
}

// became says in a word how an ask ended.
func became(t *hub.Ticket) string {
	o := t.Outcome
	if o.Status != sayso.StatusAnswered || len(o.Answers) == 0 || o.By.Surface != "codex" {
		return string(o.Status)
	}
	if len(o.Answers[0].Selected) > 0 {
		return o.Answers[0].Selected[0]
	}
	return o.Answers[0].Other
}

func TestPermission(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ request, items, offer, want string }{
		"once":          {aCommand, "", "once", `{"decision":"accept"}`},
		"session":       {aCommand, "", "session", `{"decision":"acceptForSession"}`},
		"always":        {aCommand, "", "rule_2", `{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","c1"]}}}`},
		"decline":       {aCommand, "", "decline", `{"decision":"decline"}`},
		"cancel":        {aCommand, "", "cancel", `{"decision":"cancel"}`},
		"a change":      {aChange, anEdit, "once", `{"decision":"accept"}`},
		"unknown, deny": {aChange, "", "decline", `{"decision":"decline"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := waiting(t, c.request, c.items)
			s.asked()
			choose(s, c.offer)
			if got := s.reply("0"); got != c.want {
				t.Errorf("Codex was told %s,\n want %s", got, c.want)
			}
		})
	}
}

// TestPermissionThere: Codex does not tell what was decided in its dialog, but what
// becomes of the call.
func TestPermissionThere(t *testing.T) {
	t.Parallel()
	item := func(status string) string {
		return `{"method":"item/completed","params":{"threadId":"th1","turnId":"tu1","item":{"type":"commandExecution","id":"call_1","status":"` + status + `"}}}`
	}
	for name, c := range map[string]struct{ told, want string }{
		"it ran":        {item("completed"), "once"},
		"it failed":     {item("failed"), "once"},
		"it was denied": {item("declined"), "decline"},
		"interrupted":   {`{"method":"turn/completed","params":{"threadId":"th1","turn":{"id":"tu1","status":"interrupted"}}}`, "cancelled"},
		"nothing":       {`{"method":"warning","params":{}}`, "superseded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := waiting(t, aCommand, "")
			s.asked()
			s.settle("0")
			s.say(c.told)
			if got := became(s.closed()); got != c.want {
				t.Errorf("it became %s: %+v, want %s", got, s.closed().Outcome, c.want)
			}
		})
	}
}

// TestChanged: what Codex would do is no longer what was shown, so it is refused.
func TestChanged(t *testing.T) {
	t.Parallel()
	s := waiting(t, aChange, anEdit)
	s.asked()
	s.say(`{"method":"item/fileChange/patchUpdated","params":{"threadId":"th1","turnId":"tu1","itemId":"call_1","changes":[{"path":"/etc/passwd","kind":{"type":"delete"},"diff":"root\n"}]}}`)
	s.say(strings.Replace(aQuestion, `"id":0`, `"id":7`, 1))
	s.until("what comes after the change", func() bool { return len(s.All()) == 2 })
	choose(s, "once")
	if got := s.reply("0"); got != `{"decision":"decline"}` {
		t.Errorf("Codex was told %s", got)
	}
}

// TestGone: Codex ends. A request for permission is withdrawn, a question stays open,
// and when Codex is back and asks the same, it is the same.
func TestGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request string
		open    bool
	}{"a question": {aQuestion, true}, "a permission": {aCommand, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := waiting(t, c.request, "")
			s.asked()
			s.mu.Lock()
			s.ws.CloseNow()
			s.mu.Unlock()
			s.until("the next connection", func() bool {
				n := 0
				for _, m := range s.called() {
					if m == "thread/resume" {
						n++
					}
				}
				return n == 2
			})
			if c.open {
				s.Say("Which database?", "SQLite")
				s.reply("0")
				if n := len(s.All()); n != 1 {
					t.Errorf("there are %d asks", n)
				}
				return
			}
			s.until("the first to be withdrawn, and another to be asked", func() bool {
				all := s.All()
				return len(all) == 2 && all[0].Open() != all[1].Open()
			})
		})
	}
}

// TestFollow: a session that begins to wait is joined, and left when its turn ends.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := start(t, &server{pending: map[string]string{"0": aQuestion}})
	s.until("a connection", func() bool { return slices.Contains(s.called(), "thread/read") })
	status := func(state string) { s.say(changed(state)) }
	status(`{"type":"active","activeFlags":[]}`)
	s.until("the hub to be told of work", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.working == 1 })
	if slices.Contains(s.called(), "thread/resume") {
		t.Error("a session was joined that waits for nobody")
	}
	status(`{"type":"active","activeFlags":["waitingOnUserInput"]}`)
	s.asked()
	s.Say("Which database?", "SQLite")
	s.reply("0")
	status(`{"type":"idle"}`)
	s.until("the session to be left", func() bool { return slices.Contains(s.called(), "thread/unsubscribe") })
	s.until("the hub to be told of rest", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.working == 0 })
}

func changed(state string) string {
	return `{"method":"thread/status/changed","params":{"threadId":"th1","status":` + state + `}}`
}

// TestFollowAtOnce: a session begins to wait before we read that it does not.
func TestFollowAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, &server{
		pending: map[string]string{"0": aQuestion},
		before:  map[string]string{"thread/read": changed(`{"type":"active","activeFlags":["waitingOnUserInput"]}`)},
	})
	left := func() bool { return slices.Contains(s.called(), "thread/unsubscribe") }
	s.until("an ask", func() bool { return len(s.All()) > 0 || left() })
	if left() {
		t.Fatal("the session was left while it waited")
	}
	s.Say("Which database?", "SQLite")
	s.reply("0")
	s.say(changed(`{"type":"idle"}`))
	s.until("the session to be left", left)
}
