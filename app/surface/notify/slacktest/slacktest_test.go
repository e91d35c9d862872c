package slacktest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

// call calls a method and returns the error that Slack names.
func call(t *testing.T, s *slacktest.Server, token, method, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+"/"+method, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		OK    bool
		Error string
		URL   string
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Sprint(resp.StatusCode, " after ", resp.Header.Get("Retry-After"))
	}
	if r.OK != (r.Error == "") {
		t.Errorf("%s", data)
	}
	if r.URL != "" && r.OK {
		return r.URL
	}
	return r.Error
}

// message is a message to Ann with these blocks.
func message(blocks string) string { return `{"channel":"D0ANN","text":"x","blocks":[` + blocks + `]}` }

func section(text string) string {
	return `{"type":"section","text":{"type":"plain_text","text":` + fmt.Sprintf("%q", text) + `,"emoji":false}}`
}

func button(id, label string) string {
	return fmt.Sprintf(`{"type":"button","action_id":%q,"text":{"type":"plain_text","text":%q},"value":"v"}`, id, label)
}

// TestStrict refuses what Slack refuses.
func TestStrict(t *testing.T) {
	many := func(n int, one func(int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = one(i)
		}
		return strings.Join(all, ",")
	}
	buttons := func(n int) string {
		return `{"type":"actions","elements":[` + many(n, func(i int) string { return button(fmt.Sprint(i), "b") }) + `]}`
	}
	long := strings.Repeat
	tests := []struct{ name, method, body, want string }{
		{"a message", "chat.postMessage", message(section("hello")), ""},
		{"3,000 characters", "chat.postMessage", message(section(long("x", 3000))), ""},
		{"3,001 characters", "chat.postMessage", message(section(long("x", 3001))), "invalid_blocks"},
		{"3,000 with entities", "chat.postMessage", message(section(long("x", 2999) + "&")), "invalid_blocks"},
		{"an empty text", "chat.postMessage", message(section("")), "invalid_blocks"},
		{"50 blocks", "chat.postMessage", message(many(50, func(int) string { return section("x") })), ""},
		{"51 blocks", "chat.postMessage", message(many(51, func(int) string { return section("x") })), "invalid_blocks"},
		{"too long in all", "chat.postMessage", message(many(5, func(int) string { return section(long("x", 2900)) })), "msg_blocks_too_long"},
		{"25 buttons", "chat.postMessage", message(buttons(25)), ""},
		{"26 buttons", "chat.postMessage", message(buttons(26)), "invalid_blocks"},
		{"a label of 76", "chat.postMessage", message(`{"type":"actions","elements":[` + button("a", long("x", 76)) + `]}`), "invalid_blocks"},
		{"the same action twice", "chat.postMessage", message(`{"type":"actions","elements":[` + button("a", "1") + "," + button("a", "2") + `]}`), "invalid_blocks"},
		{"an unknown block", "chat.postMessage", message(`{"type":"poll"}`), "invalid_blocks"},
		{"an unknown field of a block", "chat.postMessage", message(`{"type":"section","colour":"red","text":{"type":"plain_text","text":"x"}}`), "invalid_blocks"},
		{"a link that is none", "chat.postMessage", message(`{"type":"actions","elements":[{"type":"button","action_id":"a","text":{"type":"plain_text","text":"x"},"url":"javascript:x"}]}`), "invalid_blocks"},
		{"a field to type in, in a message", "chat.postMessage", message(`{"type":"input","label":{"type":"plain_text","text":"x"},"element":{"type":"plain_text_input","action_id":"a"}}`), "invalid_blocks"},
		{"an unknown argument", "chat.postMessage", `{"channel":"D0ANN","text":"x","colour":"red"}`, "invalid_arguments"},
		{"nothing to say", "chat.postMessage", `{"channel":"D0ANN"}`, "no_text"},
		{"a channel", "chat.postMessage", `{"channel":"C0GENERAL","text":"x"}`, "channel_not_found"},
		{"a message that is not there", "chat.update", `{"channel":"D0ANN","ts":"1.1","text":"x"}`, "message_not_found"},
		{"deleting one that is not there", "chat.delete", `{"channel":"D0ANN","ts":"1.1"}`, "message_not_found"},
		{"telling another", "chat.postEphemeral", `{"channel":"D0ANN","user":"U0BOB","text":"x"}`, "user_not_in_channel"},
		{"an unknown person", "conversations.open", `{"users":"U0NOBODY"}`, "user_not_found"},
		{"a form without a trigger", "views.open", `{"trigger_id":"x","view":{"type":"modal"}}`, "invalid_trigger_id"},
		{"an unknown method", "chat.shout", `{}`, "unknown_method"},
	}
	s := slacktest.New(t)
	for _, tt := range tests {
		if got := call(t, s, slacktest.BotToken, tt.method, tt.body); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for token, want := range map[string]string{"": "not_authed", "xoxb-other": "invalid_auth", slacktest.AppToken: "not_allowed_token_type"} {
		if got := call(t, s, token, "auth.test", `{}`); got != want {
			t.Errorf("the token %q: %q, want %q", token, got, want)
		}
	}
	s.Limit("auth.test", 7)
	if got := call(t, s, slacktest.BotToken, "auth.test", `{}`); got != "429 after 7" {
		t.Errorf("limited: %q", got)
	}
}

// TestMarkup sees what is not plain text.
func TestMarkup(t *testing.T) {
	for body, want := range map[string]string{
		message(`{"type":"section","text":{"type":"mrkdwn","text":"<!channel>"}}`):           "<!channel>",
		message(`{"type":"section","text":{"type":"plain_text","text":":tada:"}}`):           ":tada:",
		`{"channel":"D0ANN","text":"<https://evil.example|bank>","unfurl_links":false}`:      "<https://evil.example|bank>",
		`{"channel":"D0ANN","text":"*bold*"}`:                                                "*",
		`{"channel":"D0ANN","text":"@channel","link_names":true}`:                            "looks for names",
		`{"channel":"D0ANN","text":"https://x.example","unfurl_media":false,"mrkdwn":false}`: "unfurls links",
	} {
		s := slacktest.New(t)
		if err := call(t, s, slacktest.BotToken, "chat.postMessage", body); err != "" {
			t.Errorf("%s: %s", body, err)
			continue
		}
		if got := s.Messages(slacktest.Ann)[0].Markup; !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestSocket repeats an envelope until it is acknowledged, and lets a form be opened
// with its trigger once and for three seconds.
func TestSocket(t *testing.T) {
	s := slacktest.New(t)
	url := call(t, s, slacktest.AppToken, "apps.connections.open", `{}`)
	conn, _, err := websocket.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if _, _, err := websocket.Dial(t.Context(), url, nil); err == nil {
		t.Error("the address of a connection works twice")
	}
	type envelope struct {
		ID      string `json:"envelope_id"`
		Type    string
		Retry   int `json:"retry_attempt"`
		Payload struct {
			Trigger string `json:"trigger_id"`
		}
	}
	next := func() (e envelope) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, data, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	if e := next(); e.Type != "hello" {
		t.Fatalf("it begins with %+v", e)
	}
	d := s.PressAs(slacktest.Press{User: slacktest.Ann, Value: "v"})
	first := next()
	form := func(trigger string) string {
		return call(t, s, slacktest.BotToken, "views.open", `{"trigger_id":"`+trigger+`","view":{"type":"modal","callback_id":"c","private_metadata":"m",
			"title":{"type":"plain_text","text":"t"},"submit":{"type":"plain_text","text":"s"},"close":{"type":"plain_text","text":"c"},
			"blocks":[{"type":"input","block_id":"i","label":{"type":"plain_text","text":"l"},"element":{"type":"plain_text_input","action_id":"a","max_length":10}}]}}`)
	}
	if got := form(first.Payload.Trigger); got != "" {
		t.Errorf("the form: %s", got)
	}
	if got := form(first.Payload.Trigger); got != "exchanged_trigger_id" {
		t.Errorf("the form again: %s", got)
	}
	s.Advance(3100 * time.Millisecond)
	if again := next(); again.ID != first.ID || again.Retry != 1 || d.Acked() || !d.Warned() {
		t.Errorf("what was not acknowledged comes again as %+v", again)
	}
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"envelope_id":"`+first.ID+`"}`)); err != nil {
		t.Fatal(err)
	}
	d.Wait()
	s.PressAs(slacktest.Press{User: slacktest.Ann, Value: "v"})
	late := next()
	s.Advance(3100 * time.Millisecond)
	if got := form(late.Payload.Trigger); got != "expired_trigger_id" {
		t.Errorf("the form too late: %s", got)
	}
}
