package tui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/saysohq/sayso"
)

var verbs = regexp.MustCompile(`%(\.0)?[sd]`)

func TestWords(t *testing.T) {
	for tag, german := range map[string]bool{"de": true, "de_DE.UTF-8": true, "de-AT": true, "DE": true, "": false, "C": false, "en_GB": false, "den": false, "ar_EG": false} {
		if got := Words(tag).AskedBy == German().AskedBy; got != german {
			t.Errorf("%q is German: %v", tag, got)
		}
	}
}

// With a catalogue in which every letter is ж and an asker who writes in digits,
// no Latin letter is left on the screen but the keys themselves.
func TestEveryWordIsInTheCatalogue(t *testing.T) {
	w := English()
	letter := regexp.MustCompile(`\pL`)
	w.Each(func(_ string, s *string) {
		parts, verbs := verbs.Split(*s, -1), verbs.FindAllString(*s, -1)
		out := ""
		for i, p := range parts {
			out += letter.ReplaceAllString(p, "ж")
			if i < len(verbs) {
				out += verbs[i]
			}
		}
		*s = out
	})
	digits := func(a *sayso.Ask) *sayso.Ask {
		a = a.Clone()
		a.Origin = sayso.Origin{Host: "1", Workspace: "2"}
		for i := range a.Questions {
			q := &a.Questions[i]
			q.Header, q.Text, q.Body = strings.Repeat("4", i), "5?", "6 ![7](8)"
			for j := range q.Options {
				q.Options[j].Label = strings.Repeat("8", j+1)
				q.Options[j].Description, q.Options[j].Preview = "9", "0"
			}
		}
		return a
	}
	keys := regexp.MustCompile(`^   [ldyns/]  +|^ [❯ ] n ✎|\b[ns/] ж|· [ns/] ж|\[x\]|┆`)
	for _, a := range []*sayso.Ask{databases(), service(), frameworks(), branches(), name(), deadline(), features()} {
		m := New(one(digits(a)), &Options{Words: w, Guard: -1, Now: func() time.Time { return start }, History: []string{"1"}})
		m.Init()
		for _, k := range append([]string{"", "up", "esc", "esc", "/", "esc", "9", "enter", "ctrl+o"}, hostileWalk...) {
			if k == "x" || k == "y" || k == "c" || k == "n" && m.forms[0].sheet() != nil && m.forms[0].sheet().focus == onWords {
				continue // would be the person's words
			}
			if k != "" {
				m.Update(keyOf(t, k))
			}
			if m.Done() {
				break
			}
			m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
			for _, l := range strings.Split(ansi.Strip(m.View().Content), "\n") {
				if found := regexp.MustCompile(`[A-Za-z]+`).FindString(keys.ReplaceAllString(l, "")); found != "" {
					t.Fatalf("after %q: %q in %q", k, found, l)
				}
			}
		}
	}
}
