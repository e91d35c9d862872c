package web_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	language "github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

// openPages are the pages that TestLanguages opens, with what was done there.
var openPages = []string{
	"/", "/?view=all", "/?view=history", "/notifications", "/notifications?done=on", "/notifications?done=off", "/notifications?done=removed", "/notifications?done=saved",
	"/notifications?done=confirmed", "/notifications?done=muted", "/notifications?done=unmuted",
	"/sessions", "/sessions?ended=0", "/sessions?ended=1", "/sessions?ended=3", "/settings", "/settings?saved=1", "/stats", "/nowhere",
}

// TestLanguages opens pages and sends forms in German and in Arabic, and finds nothing
// that only English says. The pages in English do say it. Every page has the language
// and its direction.
func TestLanguages(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	w.form("do", "subscribe", "subscription", "{}")
	w.form("do", "mute-agent", "agent", "codex")
	w.form("do", "mute", "for", "tomorrow", "zone", "Europe/Berlin")
	w.form("do", "quiet", "quiet", "on", "from", "22:00", "to", "07:00", "zone", "Europe/Berlin")
	for _, c := range []notify.Contact{{Kind: notify.Telegram, Name: "@ann", Error: "401"}, {Kind: notify.Telegram, Name: "@off"}} {
		c.Tenant, c.Person, c.Address, c.Off = "local", "ann", []byte("{}"), c.Name == "@off"
		if _, err := w.n.Add(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	_, open := w.ask(&sayso.Ask{Questions: []sayso.Question{{Text: "Welche Datenbank?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}}}}})
	_, permission := w.ask(command("npm test"))
	gone, closed := w.ask(words("Welcher Name?"))
	if _, err := w.hub.Close(t.Context(), gone, &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}}, nil); err != nil {
		t.Fatal(err)
	}
	paths := append([]string{open, permission, closed}, openPages...)
	id := w.contacts()[0].ID
	forms := []url.Values{
		{"do": {"sing"}}, {"do": {"mute-agent"}}, {"do": {"mute"}, "for": {"ever"}}, {"do": {"mute"}, "for": {"tomorrow"}, "zone": {"x/y"}},
		{"do": {"remove"}, "id": {"none"}}, {"do": {"link"}, "kind": {"slack"}}, {"do": {"subscribe"}, "subscription": {"x"}}, {"do": {"test"}, "id": {id}},
		{"do": {"change"}, "id": {id}, "detail": {"9"}}, {"do": {"change"}, "id": {id}, "detail": {"1"}, "after": {"x"}},
		{"do": {"quiet"}, "quiet": {"on"}, "zone": {"x/y"}}, {"do": {"quiet"}, "quiet": {"on"}, "zone": {"UTC"}, "from": {"x"}, "to": {"y"}},
	}
	read := func(tag string) map[string]string {
		pages := map[string]string{}
		begin := fmt.Sprintf(`<html lang="%s" dir="%s">`, tag, language.For(tag).Dir)
		for _, path := range paths {
			body := w.in(tag, "GET", path, nil).body
			if !strings.Contains(body, begin) {
				t.Errorf("%s in %s has no %s", path, tag, begin)
			}
			pages[path] = said(body)
		}
		for _, f := range forms {
			pages["form "+f.Encode()] = said(w.in(tag, "POST", "/notifications", f).body)
		}
		pages["login"] = said(w.in(tag, "POST", "/login", url.Values{"token": {"x"}}).body)
		return pages
	}
	english := read("en")
	for _, tag := range []string{"de", "ar"} {
		foreign, found := onlyEnglish(tag), 0
		pages := read(tag)
		if want := language.For(tag).KindName(string(sayso.ApproveShell)); !strings.Contains(pages["/"], want) {
			t.Errorf("the list in %s does not say %q", tag, want)
		}
		seen := map[string]bool{} // most pieces are on every page
		isForeign := func(piece string) bool {
			yes, ok := seen[piece]
			if !ok {
				yes = slices.ContainsFunc(foreign, func(f *regexp.Regexp) bool { return f.MatchString(piece) })
				seen[piece] = yes
			}
			return yes
		}
		for name, page := range pages {
			for piece := range strings.Lines(page) {
				if isForeign(piece) {
					t.Errorf("%s in %s says in English: %q", name, tag, piece)
				}
			}
		}
		for _, page := range english {
			if slices.ContainsFunc(slices.Collect(strings.Lines(page)), isForeign) {
				found++
			}
		}
		if all := len(paths) + len(forms) + 1; found != all {
			t.Errorf("English that is not in %s is found on %d of %d English pages", tag, found, all)
		}
	}
}

// TestOurNames: places and parts of a request have names of ours, in the language of the
// person. What a tool calls them stays.
func TestOurNames(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	closed, page := w.ask(words("Welcher Name?"))
	other, elsewhere := w.ask(words("Welcher Ort?"))
	for ticket, surface := range map[*hub.Ticket]string{closed: "terminal", other: "slack"} {
		if _, err := w.hub.Close(t.Context(), ticket, &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: surface}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	input := []byte(`{"command":"ls","timeout":5,"Command":"one\ntwo"}`)
	_, call := w.ask(wants(sayso.NewApproval(sayso.ApproveShell, "Bash", input, &sayso.ApprovalOptions{Command: "command"})))
	for path, want := range map[string]string{
		page: "von bob (Terminal)", elsewhere: "von bob (slack)",
		call: "<bdi>Befehl</bdi> <code>Command</code> <bdi>Eingabe</bdi>",
	} {
		body := w.in("de", "GET", path, nil).body
		if path == call {
			body = strings.Join(regexp.MustCompile(`<bdi>\w+</bdi>|<code>Command</code>`).FindAllString(body, -1), " ")
		}
		if !strings.Contains(body, want) {
			t.Errorf("%s has no %q:\n%s", path, want, body)
		}
	}
}

// TestArabic: a person who chose Arabic has it in every browser, and the script has
// every form of the plural that it counts down with.
func TestArabic(t *testing.T) {
	t.Parallel()
	w := newTold(t)
	if r := w.in("en", "POST", "/settings", url.Values{"language": {"ar"}, "grace": {"5"}}); r.code != http.StatusSeeOther {
		t.Fatalf("%d %s", r.code, r.body)
	}
	body := w.in("en", "GET", "/settings", nil).body
	for _, want := range []string{`<html lang="ar" dir="rtl">`, `<option value="ar" selected>العربية</option>`, "اللغة", "ثوانٍ"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	ar := language.Arabic()
	forms, err := json.Marshal(ar.Web.SendsIn)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"zero", "one", "two", "few", "many", "other"} {
		if !strings.Contains(string(forms), `"`+name+`":"`) {
			t.Errorf("no form %s in %s", name, forms)
		}
	}
	if !strings.Contains(html.UnescapeString(body), `"sendsIn":`+string(forms)) {
		t.Error("the script has not the forms of the plural")
	}
}

// in sends a request of a browser whose language is tag.
func (w *told) in(tag, method, path string, form url.Values) reply {
	w.t.Helper()
	r, err := http.NewRequest(method, w.http.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept-Language", tag)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.do(w.c, r)
}

var (
	spoken  = regexp.MustCompile(`(?s)>([^<]+)<| (?:aria-label|placeholder|title|data-pressed|data-released|data-words)="([^"]*)"`)
	filled  = regexp.MustCompile(`%[sd]`)
	letters = regexp.MustCompile(`\pL`)
)

// said is what a page says, each piece on a line of its own.
func said(page string) string {
	var b strings.Builder
	for _, m := range spoken.FindAllStringSubmatch(page, -1) {
		b.WriteString(html.UnescapeString(strings.TrimSpace(m[1]+m[2])) + "\n")
	}
	return b.String()
}

// onlyEnglish finds the sentences of the English words that a language does not have:
// the short ones as a whole piece, the longer ones anywhere in it.
func onlyEnglish(tag string) []*regexp.Regexp {
	own := map[string]bool{}
	language.For(tag).Each(func(_ string, s *string) { own[*s] = true })
	var all []*regexp.Regexp
	language.English().Each(func(name string, s *string) {
		if own[*s] || name == "Tag" || name == "Name" || len(letters.FindAllString(filled.ReplaceAllString(*s, ""), -1)) < 2 {
			return
		}
		pieces := filled.Split(*s, -1)
		for i, p := range pieces {
			pieces[i] = regexp.QuoteMeta(p)
		}
		text := strings.Join(pieces, ".+?")
		if strings.Count(*s, " ") < 3 {
			text = "(?m)^" + text + "$"
		}
		all = append(all, regexp.MustCompile(text))
	})
	return all
}
