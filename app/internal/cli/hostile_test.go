package cli_test

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// sample is one text of testdata/hostile.
type sample struct {
	Name, Text, Hex string
	Never           []string
}

func samples(t *testing.T) []sample {
	t.Helper()
	var all []sample
	for _, name := range []string{"terminal", "layout", "unicode"} {
		b, err := os.ReadFile(filepath.Join("../../../testdata/hostile", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var some []sample
		if err := json.Unmarshal(b, &some); err != nil {
			t.Fatal(err)
		}
		for _, s := range some {
			if s.Hex != "" {
				raw, err := hex.DecodeString(s.Hex)
				if err != nil {
					t.Fatal(err)
				}
				s.Text = string(raw)
			}
			all = append(all, s)
		}
	}
	return all
}

// evilHub is a hub that cleans nothing: every word of its asks is the sample.
func evilHub(t *testing.T, text string) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "evil")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket = filepath.Join(dir, "hub.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	a := &sayso.Ask{
		ID: "id" + text, To: []string{text}, AskedAt: time.Now(),
		Questions: []sayso.Question{{ID: "q1", Header: text, Text: text, Body: text, Options: []sayso.Option{
			{ID: "o1", Label: text, Description: text, Preview: text, RawLabel: text}, {ID: "o2", Label: "other"},
		}}},
		Origin: sayso.Origin{Conversation: text, Agents: []string{text}, Host: text, Workspace: text, Branch: text},
	}
	by := sayso.Responder{Kind: sayso.ByPerson, ID: text, Surface: text}
	outcomes := map[string]*sayso.Outcome{
		"open":     nil,
		"answered": {Status: sayso.StatusAnswered, By: by, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}, Other: text, Note: text}}},
		"replied":  {Status: sayso.StatusAnswered, By: by, Reply: text},
		"declined": {Status: sayso.StatusDeclined, By: by, Reason: text},
	}
	ticket := func(name string) api.Ticket {
		c := a.Clone()
		c.ID = name + text
		c.To = nil
		return api.Ticket{ID: name, Ticket: hub.Ticket{Ask: c, Digest: c.Digest(), Outcome: outcomes[name]}}
	}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, v any) { json.NewEncoder(w).Encode(v) }
	mux.HandleFunc("GET /v1/asks", func(w http.ResponseWriter, r *http.Request) {
		page := api.TicketPage{}
		for _, name := range []string{"open", "answered", "replied", "declined"} {
			if name == "open" || r.URL.Query().Get("status") == "any" {
				page.Tickets = append(page.Tickets, ticket(name))
			}
		}
		reply(w, page)
	})
	mux.HandleFunc("/v1/asks/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "open" {
			<-r.Context().Done()
		}
		reply(w, ticket(r.PathValue("id")))
	})
	mux.HandleFunc("POST /v1/asks", func(w http.ResponseWriter, r *http.Request) { reply(w, ticket("declined")) })
	mux.HandleFunc("POST /v1/asks/{id}/consumed", func(w http.ResponseWriter, r *http.Request) { reply(w, ticket(r.PathValue("id"))) })
	mux.HandleFunc("PUT /v1/asks/{id}/answer", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusConflict)
		reply(w, map[string]any{"type": "urn:sayso:problem:already-closed", "ticket": ticket("answered")})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusForbidden)
		reply(w, map[string]any{"type": text, "title": text, "detail": text, "errors": []any{map[string]string{"path": text, "message": text}}})
	})
	srv := &http.Server{Handler: mux}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return socket
}

// TestHostileText has a hub that cleans nothing serve every sample to every
// command that writes lines, on a terminal: nothing of the sample does anything
// there.
func TestHostileText(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	all := samples(t)
	harmful := 0
	for _, s := range all {
		if _, ok := doesSomething(strings.ToValidUTF8(s.Text, "\u009b")); ok {
			harmful++
		}
	}
	if harmful < 60 {
		t.Fatalf("only %d samples would do something", harmful)
	}
	// The samples stand behind one another, with a mark between them, in two
	// halves: a question has at most so many characters.
	var halves [2]strings.Builder
	for i, s := range all {
		halves[i%2].WriteString(strings.ToValidUTF8(s.Text, "\u009b") + " · ")
	}
	hubs := []string{evilHub(t, halves[0].String()), evilHub(t, halves[1].String())}
	screen := newTerminal(t)
	for i, socket := range hubs {
		for _, args := range [][]string{
			{"list"}, {"list", "--all"}, {"list", "--all", "--json"},
			{"show", "answered"}, {"show", "replied", "--json"}, {"show", "open"},
			{"wait", "answered"}, {"wait", "replied"}, {"wait", "declined"}, {"wait", "answered", "--json"}, {"wait", "open", "--wait", "1ms"},
			{"ask", "x?"}, {"answer", "open", "yes"}, {"answer", "answered", "yes", "--json"},
			{"decline", "open"}, {"withdraw", "open", "--json"},
			{"doctor"}, {"__complete", "answer", ""},
			{"answer", "open", "--plain", "--dialog", "always"}, {"inbox", "--plain"},
		} {
			cmd := m.command(append(args, "--hub", socket)...)
			var at [][2]string
			if args[0] == "inbox" || args[len(args)-1] == "always" {
				at = append(at, [2]string{"Your choice (a number", "\x04"}) // the end of input
			}
			out := screen.run(cmd, at...)
			if out == "" {
				t.Errorf("%q wrote nothing", args)
			}
			if r, ok := doesSomething(out); ok {
				t.Errorf("hub %d: %q wrote %U: %q", i, args, r, out)
			}
		}
	}
}

// doesSomething returns a character that a terminal would act on, or that hides.
// What we write ourselves is lines, and the echo of the end of input.
func doesSomething(out string) (rune, bool) {
	out = strings.NewReplacer("\r\n", "\n", "^D\b\b", "", "\r\x1b[K", "").Replace(out)
	for _, r := range out {
		switch {
		case r == '\n' || r == '\t' || r == 0x200c || r == 0x200d: // joiners between letters are part of words
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Cf, r), r == 0x2028, r == 0x2029:
			return r, true
		}
	}
	return 0, false
}

// TestHostileArguments has the asker's text come through flags and calls, raw
// bytes included, and go to the real hub and back.
func TestHostileArguments(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	screen := newTerminal(t)
	for i, s := range samples(t) {
		if i%16 != 0 || strings.Contains(s.Text, "\x00") { // an argument holds no NUL
			continue
		}
		name := "n" + hex.EncodeToString([]byte{byte(i)})
		args := []string{"ask", "Q " + s.Text, "-o", "a " + s.Text + ":" + s.Text, "-o", "b", "--header", "H" + s.Text, "--body", s.Text,
			"--agent", "x" + s.Text, "--conversation", "c", "--wait", "1ms", "--dialog", "never", "--id", name}
		for _, args := range [][]string{args, {"show", name}, {"answer", name, "b"}, {"wait", name}, {"ask", "--dialect", s.Text}, {"show", s.Text}} {
			out := screen.run(m.command(args...))
			if r, ok := doesSomething(out); ok {
				t.Errorf("%s: %q wrote %U: %q", s.Name, args[0], r, out)
			}
		}
	}
}
