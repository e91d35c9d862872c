package cli_test

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// TestSurface: a person who looks with "sayso show" and answers with "sayso answer".
func TestSurface(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "show and answer", Open: openCommands})
}

// ann is the only one who calls.
type ann struct{}

func (ann) Authenticate(*http.Request) (*auth.Principal, error) {
	return &auth.Principal{Tenant: surfacetest.Tenant, ID: surfacetest.Who, Role: auth.Everything}, nil
}

// commands are what a person at a shell has typed and read.
type commands struct {
	w      *surfacetest.World
	url    string
	ask    *hub.Ticket
	digest string   // as the person knows it
	args   []string // of the answer that is being typed
	output string   // of the last command but show
}

func openCommands(w *surfacetest.World) *surfacetest.Person {
	api, err := httpapi.New(w.Hub, &httpapi.Options{Auth: ann{}, Quota: httpapi.Quota{Open: -1, Rate: -1}})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(api.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	addr := l.Addr().String()
	server := &http.Server{Handler: api}
	go server.Serve(l)
	w.Cleanup(func() { server.Close() })
	w.OnKill(func() { server.Close() }, func() {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			w.Fatal(err)
		}
		server = &http.Server{Handler: api}
		go server.Serve(l)
	})
	c := &commands{w: w, url: "http://" + addr}
	return &surfacetest.Person{
		Show:    func(t *hub.Ticket) { c.ask, c.digest, c.args, c.output = t, t.Digest, nil, "" },
		Sees:    func() string { return c.show() + "\n" + c.output },
		SeesAll: c.show,
		Says:    func() string { return c.output },
		Choose: func(i int, option string) {
			c.say(i, c.ask.Ask.Questions[i].Option(option).Label)
		},
		Type: c.say,
		TypeList: func(_ int, texts []string) {
			list, err := json.Marshal([][]string{texts})
			if err != nil {
				w.Fatal(err)
			}
			c.args = []string{"--answers", string(list)}
		},
		Send:    func() { c.send() },
		Confirm: func() { c.send("--yes") },
		Decline: func() { c.output = c.run("decline", c.ask.Ask.ID) },
		Undo:    func(t *hub.Ticket) { c.output = c.run("undo", t.Ask.ID) },
		List:    func() string { return c.run("list") },
		Numbers: true, Joined: true,
	}
}

// show shows the ask, and keeps the digest that is printed.
func (c *commands) show() string {
	out := c.run("show", c.ask.Ask.ID)
	if d := regexp.MustCompile(`(?m)^Digest: ([0-9a-f]{64})$`).FindStringSubmatch(out); d != nil {
		c.digest = d[1]
	}
	return out
}

// say puts a text in the place of its question.
func (c *commands) say(i int, text string) {
	for len(c.args) <= i {
		c.args = append(c.args, "")
	}
	c.args[i] = text
}

// send answers with what was typed. An answer that was not typed is not sent: without
// one, the command would open a dialog.
func (c *commands) send(flags ...string) {
	if len(c.args) == 0 {
		return
	}
	args := append(append([]string{"answer"}, flags...), "--digest", c.digest)
	if c.args[0] == "--answers" {
		args = append(append(args, c.args...), "--", c.ask.Ask.ID)
	} else {
		args = append(append(args, "--", c.ask.Ask.ID), c.args...)
	}
	c.output = c.run(args...)
}

// run returns everything that a command writes.
func (c *commands) run(args ...string) string {
	var out bytes.Buffer
	world := &cli.World{World: console.World{
		In: strings.NewReader(""), Out: &out, Err: &out, Dir: c.w.TempDir(),
		Getenv: func(name string) string { return map[string]string{"HOME": "/nonexistent", "LANG": "C"}[name] },
	}}
	cli.Main(c.w.Context(), world, append([]string{"--hub", c.url, "--dialog", "never"}, args...))
	return out.String()
}

// The line that is printed and the answer that is stored agree, for every row of the
// table of what an answer means.
func TestAnswerPrintsWhatIsStored(t *testing.T) {
	w := surfacetest.NewWorld(t)
	p := openCommands(w)
	for i, row := range surfacetest.Rows(t) {
		if len(row.Said) > 1 {
			continue
		}
		a := &sayso.Ask{ID: "row-" + string(rune('a'+i/26)) + string(rune('a'+i%26)), Questions: []sayso.Question{row.Question}}
		ticket := w.Submit(a)
		p.Show(ticket)
		p.Type(0, row.Said[0])
		p.Send()
		now := w.Now(ticket)
		if now.Open() {
			continue
		}
		if want := sayso.RenderResult(now.Ask, now.Outcome); !strings.Contains(p.Says(), want) {
			t.Errorf("%s: stored %q, printed %q", row.Name, want, p.Says())
		}
		own := now.Outcome.Answers[0].Other != "" && len(now.Ask.Questions[0].Options) > 0
		if own != strings.Contains(p.Says(), "sent in your own words") {
			t.Errorf("%s: own words: %v, and it prints %q", row.Name, own, p.Says())
		}
	}
}
