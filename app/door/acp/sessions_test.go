package acp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

func told(s *sessions, session, update string) {
	params := fmt.Sprintf(`{"sessionId":%q,"update":%s}`, session, update)
	s.update([]byte(params), &message{Params: raw(params)})
}

// TestSessionsBounded: what is kept about tool calls has an end, and the last stays.
func TestSessionsBounded(t *testing.T) {
	var s sessions
	for i := range 3 * maxCalls {
		told(&s, "a", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","rawInput":{"n":%d}}`, i, i))
	}
	if n := len(s.byID["a"].calls); n != maxCalls {
		t.Errorf("%d calls are kept", n)
	}
	if _, _, c := s.look("a", fmt.Sprint("c", 3*maxCalls-1)); c.ID == "" {
		t.Error("the last is forgotten")
	}
	big := strings.Repeat("x", 1<<20)
	for i := range 40 {
		told(&s, "b", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","title":%q}`, i, big))
	}
	if b := s.byID["b"]; b.size > maxCallBytes || len(b.calls) == 0 || len(b.calls) != len(b.order) {
		t.Errorf("%d bytes of %d calls are kept", b.size, len(b.calls))
	}
	for i := range 3 * maxSessions {
		told(&s, fmt.Sprint("s", i), `{"sessionUpdate":"tool_call","toolCallId":"c"}`)
	}
	if len(s.byID) != maxSessions || len(s.order) != maxSessions {
		t.Errorf("%d sessions are kept", len(s.byID))
	}
}

// TestSessionsLast: of several messages about a call, the last word on each member is
// what counts; of a call that is over, nothing does.
func TestSessionsLast(t *testing.T) {
	var s sessions
	told(&s, "a", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"edit","rawInput":{"n":1}}`)
	told(&s, "a", `{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"n":2},"content":null}`)
	if _, _, c := s.look("a", "c"); c.Title != "T" || c.Kind != "edit" || string(c.RawInput) != `{"n":2}` {
		t.Errorf("known is %+v", c)
	}
	told(&s, "a", `{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"n":3,"n":4}}`)
	if _, _, c := s.look("a", "c"); c.ID != "" {
		t.Errorf("a message with two meanings left %+v", c)
	}
	told(&s, "a", `{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"n":1}}`)
	told(&s, "a", `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`)
	if _, _, c := s.look("a", "c"); c.ID != "" {
		t.Errorf("a call that is over left %+v", c)
	}
}

// FuzzApproval: whatever an agent asks for is a valid ask or is not taken. Nothing but
// the choice of an option that allows it is told to the agent as one.
func FuzzApproval(f *testing.F) {
	for _, p := range []string{
		`{"sessionId":"s","toolCall":{"toolCallId":"t","name":"Bash","rawInput":{"command":"ls"},"kind":"execute"},"options":[{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"a","name":"A","kind":"allow_always"},{"optionId":"n","name":"N","kind":"reject_once"}]}`,
		`{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"execute"},"options":[{"optionId":"a","name":"A","kind":"allow_once"}]}`,
		`{"sessionId":"s","toolCall":{"toolCallId":"t","content":[{"type":"diff","path":"p","oldText":"1","newText":"2"}],"kind":"edit"},"options":[{"optionId":"allow_unseen","name":"","kind":"allow_once"},{"optionId":"n","kind":"reject_always"}]}`,
		`{"sessionId":"s","toolCall":{"toolCallId":"t","rawInput":{"plan":"# p"},"kind":"switch_mode"},"options":[{"optionId":"\u202e","name":"x","kind":"allow_always"}]}`,
	} {
		f.Add([]byte(p), `{"sessionUpdate":"tool_call","toolCallId":"t","rawInput":{"server":"db","tool":"drop"},"content":[{"type":"content","content":{"type":"text","text":"x"}}]}`, "codex", []byte(`{"outcome":{"outcome":"selected","optionId":"a"}}`))
	}
	f.Fuzz(func(t *testing.T, params []byte, update, host string, reply []byte) {
		p := &proxy{host: host}
		told(&p.sessions, "s", update)
		q := p.readApproval(params)
		if q == nil {
			return
		}
		if err := q.ask.Validate(sayso.Limits{}); err != nil {
			t.Fatalf("%s was taken: %v", params, err)
		}
		if now := q.again(); now == nil || now.Digest() != q.ask.Digest() {
			t.Error("made again, it is another ask")
		}
		if o, err := q.read(reply); err == nil {
			if err := q.ask.Check(o); err != nil {
				t.Errorf("%s was read as %+v: %v", reply, o, err)
			}
		}
		for _, o := range []*sayso.Outcome{nil, {Status: sayso.StatusDeclined}, {Status: sayso.StatusExpired}, {Status: sayso.StatusAnswered}} {
			if v := q.ask.Verdict(o); v != nil {
				t.Errorf("%+v decides %+v", o, v)
			}
		}
		if len(q.ask.Approval.Missing) > 0 && strings.HasPrefix(q.ask.Approval.Missing[0], "what will run") && len(q.ask.Approval.Allows()) > 0 {
			t.Error("what is not known can be allowed")
		}
	})
}
