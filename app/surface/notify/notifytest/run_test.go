package notifytest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify"
)

// phone is a channel to a device that shows notes one below the other. What works there
// is what stands in angle brackets.
type phone struct {
	limits notify.Limits
	keeps  bool // what is over is changed, as in a chat
	locked bool // text is not to be seen on the locked screen

	// The defects.
	raises, raw, leaks, stays, more, brackets, links bool

	shown map[string]*notify.Note
	lock  map[string]string
	wire  strings.Builder
	next  int
}

func (p *phone) Limits() notify.Limits { return p.limits }

func (p *phone) Put(_ context.Context, c *notify.Contact, n *notify.Note, where string) (string, error) {
	n = new(*n)
	n.Buttons = slices.Clone(n.Buttons)
	ask := n.Asks[0].Ask
	switch {
	case p.raises && n.Text == "":
		n.Body = ask.Questions[0].Text
	case p.raw && n.Text != "":
		n.Text = ask.Questions[0].TextAsAsked()
	case p.more:
		n.Buttons = append(n.Buttons, notify.Button{Label: "one more"})
	}
	fmt.Fprintln(&p.wire, n.Title, n.Body, n.Text)
	if p.leaks {
		fmt.Fprintln(&p.wire, ask.Origin.Workspace)
	}
	if n.Over && !p.keeps {
		if !p.stays {
			delete(p.shown, where)
			delete(p.lock, where)
		}
		return "", nil
	}
	if where == "" {
		p.next++
		where = fmt.Sprint(p.next)
	}
	p.shown[where] = n
	switch {
	case !n.Alert && !p.locked: // an edit in silence
		delete(p.lock, where)
	case n.Text == "" || p.limits.Behind:
		p.lock[where] = n.Title + "\n" + n.Body
	case p.limits.Text > 0:
		p.lock[where] = n.Text
	}
	return where, nil
}

func (p *phone) seen() View {
	v := View{Wire: []byte(p.wire.String())}
	p.wire.Reset()
	for where, n := range p.shown {
		v.Unlocked = append(v.Unlocked, n.Title+"\n"+n.Body+"\n"+n.Text)
		v.Buttons = len(n.Buttons)
		v.Links = append(v.Links, n.URL)
		if p.links {
			v.Links = append(v.Links, regexp.MustCompile(`https?://\S+`).FindAllString(n.Text, -1)...)
		}
		if s := p.lock[where]; s != "" {
			v.Lock = append(v.Lock, s)
		}
	}
	return v
}

var bracket = regexp.MustCompile(`<[^>]*>`)

func (p *phone) active(v View) []string {
	if !p.brackets {
		return nil
	}
	return bracket.FindAllString(strings.Join(v.Unlocked, "\n"), -1)
}

func target(p *phone) *Target {
	clear := func() { p.shown, p.lock = make(map[string]*notify.Note), make(map[string]string) }
	clear()
	return &Target{Clear: clear, Channel: p, Contact: notify.Contact{Tenant: "local", Kind: notify.Telegram, Account: "1"}, Seen: p.seen, Active: p.active}
}

// shapes are channels as there are: a push service, a chat, a chat behind a lock, a
// program.
var shapes = map[string]phone{
	"push":    {limits: notify.Limits{Buttons: 2, Picks: true}},
	"chat":    {limits: notify.Limits{Buttons: 8, Text: 4096, Words: true}, keeps: true},
	"behind":  {limits: notify.Limits{Buttons: 8, Text: 3000, Behind: true}, keeps: true},
	"program": {limits: notify.Limits{Machine: true}},
}

// Notes as they are composed are safe in channels that show them as they are.
func TestCompose(t *testing.T) {
	for name, p := range shapes {
		t.Run(name, func(t *testing.T) { Run(t, target(&p)) })
	}
}

// Every check finds the channel that it is for.
func TestDefects(t *testing.T) {
	tests := []struct {
		name, shape string
		set         func(*phone)
		says        string
	}{
		{"raises the detail", "push", func(p *phone) { p.raises = true }, "MARKQUESTION is on the lock screen"},
		{"passes raw text", "chat", func(p *phone) { p.raw = true }, `U\+001B in|broken UTF-8|U\+202E in`},
		{"sends what the note does not say", "program", func(p *phone) { p.leaks = true }, "MARKWORKSPACE is sent"},
		{"leaves what is over", "push", func(p *phone) { p.stays = true }, "still seen"},
		{"shows an edit on the lock screen", "chat", func(p *phone) { p.locked = true }, "MARKBODY is on the lock screen"},
		{"has more buttons", "push", func(p *phone) { p.more = true }, "buttons, the note has"},
		{"has markup", "chat", func(p *phone) { p.brackets = true }, "it works: "},
		{"makes links of addresses", "behind", func(p *phone) { p.links = true }, `it links to "https?://`},
		{"shows another text", "behind", func(p *phone) { p.raw = true }, "the text is not shown as it is"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := shapes[tt.shape]
			tt.set(&p)
			var all []string
			for _, h := range Corpus() {
				all = append(all, problems(t.Context(), target(&p), h)...)
			}
			if !slices.ContainsFunc(all, regexp.MustCompile(tt.says).MatchString) {
				t.Errorf("not found; %d other problems: %.500q", len(all), all)
			}
		})
	}
}

// The corpus has each kind of text that the package says it has.
func TestCorpus(t *testing.T) {
	all := Corpus()
	if len(all) < 50 {
		t.Errorf("%d texts", len(all))
	}
	names := make(map[string]bool)
	unsafes, long := 0, 0
	for _, h := range all {
		if names[h.Name] {
			t.Errorf("%q twice", h.Name)
		}
		names[h.Name] = true
		if unsafe(h.Text, false) != "" {
			unsafes++
		}
		if len(h.Text) >= 90<<10 {
			long++
		}
	}
	if unsafes < 15 || long < 3 {
		t.Errorf("%d texts with unsafe characters, %d long ones", unsafes, long)
	}
}
