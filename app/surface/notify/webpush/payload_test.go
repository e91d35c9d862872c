package webpush

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saysohq/sayso/app/surface/notify"
)

func TestPayload(t *testing.T) {
	a := &address{Endpoint: "https://fcm.googleapis.com/x", Origin: "https://my.name"}
	safari := &address{Endpoint: "https://web.push.apple.com/x", Origin: "https://my.name"}
	note := notify.Note{Key: "k1", Alert: true, Title: "claude-code asks", Body: "1 question waits", URL: "https://my.name/ask/h1", Waiting: 1}
	over := notify.Note{Key: "k1", Over: true, Title: "Answered in the terminal", URL: "https://my.name/ask/h1"}
	edit := func(change func(n *notify.Note)) *notify.Note {
		n := note
		change(&n)
		return &n
	}
	for _, tt := range []struct {
		name string
		a    *address
		n    *notify.Note
		want string
	}{
		{"first", a, &note, `{"web_push":8030,"notification":{"title":"claude-code asks","body":"1 question waits","navigate":"https://my.name/ask/h1","tag":"k1"},"app_badge":"1","n":1}`},
		{"reminder", a, edit(func(n *notify.Note) { n.Round = 1; n.Urgent = true }), `{"web_push":8030,"notification":{"title":"claude-code asks","body":"1 question waits","navigate":"https://my.name/ask/h1","tag":"k1","renotify":true,"requireInteraction":true},"app_badge":"1","n":1}`},
		{"changed", a, edit(func(n *notify.Note) { n.Alert = false; n.Round = 1 }), `{"web_push":8030,"notification":{"title":"claude-code asks","body":"1 question waits","navigate":"https://my.name/ask/h1","tag":"k1","silent":true},"app_badge":"1","n":1}`},
		{"no public address", a, edit(func(n *notify.Note) { n.URL = "" }), `{"web_push":8030,"notification":{"title":"claude-code asks","body":"1 question waits","navigate":"https://my.name/","tag":"k1"},"app_badge":"1","n":1}`},
		{"another name of the hub", a, edit(func(n *notify.Note) { n.URL = "https://other.name:99/ask/h1?pick=o1" }), `{"web_push":8030,"notification":{"title":"claude-code asks","body":"1 question waits","navigate":"https://my.name/ask/h1?pick=o1","tag":"k1"},"app_badge":"1","n":1}`},
		{"buttons", a, edit(func(n *notify.Note) {
			n.Buttons = []notify.Button{{Label: "Yes", URL: "https://my.name/ask/h1?pick=o1"}, {Label: "Data only", Data: "x"}, {Label: "No", URL: "https://my.name/ask/h1?pick=o2"}, {Label: "Third", URL: "https://my.name/x"}}
		}), `{"web_push":8030,"notification":{"title":"claude-code asks","body":"1 question waits","navigate":"https://my.name/ask/h1","tag":"k1","actions":[{"action":"0","title":"Yes","navigate":"https://my.name/ask/h1?pick=o1"},{"action":"2","title":"No","navigate":"https://my.name/ask/h1?pick=o2"}]},"app_badge":"1","n":1}`},
		{"over", a, &over, `{"gone":true,"tag":"k1"}`},
		{"over on Safari", safari, &over, `{"web_push":8030,"notification":{"title":"Answered in the terminal","navigate":"https://my.name/ask/h1","tag":"k1","silent":true},"app_badge":"0"}`},
	} {
		if got := string(payload(tt.a, notify.DetailSender, tt.n)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestPayloadSize: a message is short unless the person wants the question in it, and
// is cut between characters.
func TestPayloadSize(t *testing.T) {
	a := &address{Endpoint: "https://fcm.googleapis.com/x", Origin: "https://my.name"}
	for _, long := range []string{"x", "ä", "漢", "🙂", "\"", "<", "\n"} {
		for _, n := range []int{0, 1, 100, 400, 2000} {
			text := strings.Repeat(long, n)
			note := &notify.Note{Key: strings.Repeat("k", 32), Alert: true, Title: text, Body: text, URL: "https://my.name/ask/" + strings.Repeat("h", 60),
				Buttons: []notify.Button{{Label: text, URL: "https://my.name/ask/h1?pick=o1"}, {Label: text, URL: "https://my.name/ask/h1?pick=o2"}}}
			for d, most := range map[notify.Detail]int{notify.DetailCount: maxShort, notify.DetailSender: maxShort, notify.DetailText: maxLong} {
				b := payload(a, d, note)
				var m message
				if err := json.Unmarshal(b, &m); err != nil {
					t.Fatal(err)
				}
				if len(b) > most || len(m.Notification.Body) > maxBody || !utf8.Valid(b) || strings.Contains(string(b), "\ufffd") {
					t.Errorf("%q × %d, detail %d: %d bytes, body %d", long, n, d, len(b), len(m.Notification.Body))
				}
				if n > 0 && m.Notification.Title == "" {
					t.Errorf("%q × %d, detail %d: no title is left", long, n, d)
				}
			}
		}
	}
}
