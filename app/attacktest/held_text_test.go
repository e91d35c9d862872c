package attacktest

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// twoMeanings sends bodies that two readers could understand differently, or that
// cost more to read than to send.
func twoMeanings(w *world) {
	const good = `{"questions":[{"id":"q","text":"Twice?"}]}`
	key := w.keys["alice"]
	for name, b := range map[string]struct {
		body   string
		header []string
	}{
		"duplicate names":  {body: `{"questions":[],` + good[1:]},
		"folded names":     {body: `{"Questions":[{"id":"q","text":"Twice?"}]}`},
		"deep lists":       {body: strings.Repeat("[", 100_000)},
		"deep objects":     {body: strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)},
		"invalid UTF-8":    {body: "{\"questions\":[{\"id\":\"q\",\"text\":\"Twice\xff?\"}]}"},
		"a lone surrogate": {body: `{"questions":[{"id":"q","text":"Twice\ud800?"}]}`},
		"2 MB":             {body: `{"questions":[{"id":"q","text":"` + strings.Repeat("x", 2_000_000) + `"}]}`},
		"two values":       {body: good + good},
		"compressed":       {body: good, header: []string{"Content-Encoding", "gzip"}},
		"plain text":       {body: good, header: []string{"Content-Type", "text/plain"}},
		"a form":           {body: good, header: []string{"Content-Type", "application/x-www-form-urlencoded"}},
	} {
		if r := w.do("POST", "/v1/asks", key, []byte(b.body), b.header...); r.status < 400 || r.status >= 500 {
			w.t.Errorf("%s: %d %.200s", name, r.status, r.body)
		}
	}
	for _, one := range w.tickets(key, "?limit=1000") {
		if text, _ := first(one)["text"].(string); strings.HasPrefix(text, "Twice") {
			w.t.Errorf("a body with two meanings was asked: %q", text)
		}
	}
}

// hostile are texts that would do something to a terminal or a page, or hide
// something in them.
var hostile = map[string]string{
	"ANSI": "\x1b[2J\x1b]52;c;ZXZpbA==\x07 hi \u009b31m", "CR": "safe\rDANGER", "bidi": "\u202eevil\u2066x", "zero width": "a\u200bb\u2060c\ufeffd\U000e0041",
	"zalgo": "Y" + strings.Repeat("\u0301", 300), "enclosing marks": "Y" + strings.Repeat("\u20dd\u0489\u1abe", 200),
	"Hangul fillers": "\u115f\u1160\u3164\uffa0", "Braille blank": strings.Repeat("\u2800", 40), "selectors": "a\ufe0f\U000e0100",
	"soft hyphens": "a\u00ad\u034f\u180e\u061cb", "line separators": "a\u2028b\u2029c", "NEL": "a\u0085b", "wide": strings.Repeat("\ufdfd", 20) + strings.Repeat("\U0001242b", 20),
	"odd spaces": "\u00a0\u2003\u3000x", "musical": "a\U0001d173b", "interlinear": "a\ufff9b\ufffac", "private use": "\ue000\U0010fffd", "Khmer": "a\u17b4\u17b5b", "tags": "\U000e0001",
}

// unseen finds what a person cannot see, or must not be sent.
func unseen(text string) string {
	marks := 0
	for _, r := range text {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\t':
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			return fmt.Sprintf("U+%04X", r)
		case strings.ContainsRune("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5\u034f\u180e", r):
			return fmt.Sprintf("U+%04X, which is blank", r)
		case marks > 16:
			return "a letter under 16 marks"
		}
	}
	return ""
}

// shown is what the API has of an ask for people. The spelling of the asker stands
// beside it, for the asker.
func shown(ticket message) string {
	q := first(ticket)
	options, _ := q["options"].([]any)
	option, _ := options[0].(message)
	ask, _ := ticket["ask"].(message)
	origin, _ := ask["origin"].(message)
	return fmt.Sprint(q["text"], q["body"], option["label"], option["description"], option["preview"], origin["agents"], origin["workspace"])
}

// active is what runs or calls out in a page. Scripts of ours have a nonce.
var active = regexp.MustCompile(`(?i)<(script(?: |>)[^>]*>[^<]|img|iframe|object|svg on|style)|<[^>]+ (on[a-z]+|style)=|(href|src|action)="?\s*(javascript|data|vbscript):|href="https://evil`)

// hostileTexts puts each into every field and looks at what the API, the page and
// the terminal are given.
func hostileTexts(w *world) {
	const runs = ` [a](javascript:alert(1)) ![x](http://evil.example/x.png) <img src=x onerror=1> <script>1</script>`
	web := w.browser()
	asker := w.keys["writer"]
	for name, p := range hostile {
		r := w.do("POST", "/v1/asks", asker, message{
			"questions": []any{message{"id": "q", "header": "H", "text": "T " + p, "body": "B " + p + runs, "options": []any{
				message{"id": "y", "label": "Yes" + p, "description": p + "d", "preview": p + runs}, message{"id": "n", "label": "No"},
			}}},
			"origin": message{"agents": []string{"A" + p}, "workspace": "W" + p, "branch": p + "b", "host": "h" + p, "conversation": "c"},
		})
		if r.status == 422 {
			continue // refused as a whole
		}
		if r.status != 201 {
			w.t.Errorf("%s: %d %s", name, r.status, r.body)
			continue
		}
		page := web.get("/ask/" + r.text("id"))
		show, _, _ := w.sayso("show", askID(r.json))
		for surface, text := range map[string]string{
			"the page": html.UnescapeString(string(page.body)), "the list": html.UnescapeString(string(web.get("/").body)), "sayso show": show,
			"the API": shown(r.json),
		} {
			if what := unseen(text); what != "" {
				w.t.Errorf("%s: %s has %s", name, surface, what)
			}
		}
		if what := active.Find(page.body); what != nil {
			w.t.Errorf("%s: the page has %s", name, what)
		}
		w.do("POST", "/v1/asks/"+r.text("id")+"/withdraw", asker, message{})
	}
}

// markdownBombs are texts that are small to send and could be large, or long, to
// show.
func markdownBombs(w *world) {
	web := w.browser()
	asker := w.keys["bomber"]
	before := w.memory()
	var slowest time.Duration // of the hub's processor: the machine may be busy
	for _, unit := range []string{
		"[", "![", "*a_ ", ">", "- ", "a**b", "<", "`a``b```c", "[a](", "|a", "&#0;", "[a]: b\n", "http://a@b ", "~~a ", "|a|b|\n|-|-|\n", "1. \n ", "1. ", "[a]: b\n[a][a]",
	} {
		for _, size := range []int{60_000, 240_000} {
			body := strings.Repeat(unit, size/len(unit)+1)[:size]
			var r *reply
			eventually(w.t, "there is room for one more", func() bool { // large asks count several times
				r = w.do("POST", "/v1/asks", asker, yesNo("Bomb?", "questions", []any{message{"id": "q", "text": "Bomb?", "body": body}}))
				return r.status != 429
			})
			if r.status == 422 || r.status == 413 || r.status == 400 {
				break // larger than the API takes
			}
			if r.status != 201 {
				w.t.Fatalf("asking: %d %s", r.status, r.body)
			}
			began := w.worked()
			page := web.get("/ask/" + r.text("id"))
			took := w.worked() - began
			slowest = max(slowest, took)
			if page.status != 200 || took > 3*time.Second || len(page.body) > 1<<20+64*size {
				w.t.Fatalf("%d bytes of %q: %d, %d bytes after %v", size, unit, page.status, len(page.body), took)
			}
			w.do("POST", "/v1/asks/"+r.text("id")+"/withdraw", asker, message{})
		}
	}
	grown := w.memory() - before
	w.t.Logf("the slowest page cost %v; the hub grew by %d MB at most", slowest.Round(time.Millisecond), grown>>10)
	if grown > 1<<20 {
		w.t.Errorf("the hub grew by %d MB", grown>>10)
	}
}

// memory is the most memory in kB that the hub ever had.
func (w *world) memory() int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.hub.Process.Pid))
	_, after, _ := bytes.Cut(data, []byte("VmHWM:"))
	if fields := bytes.Fields(after); len(fields) > 0 {
		n, _ := strconv.Atoi(string(fields[0]))
		return n
	}
	return 0
}

// worked is how long the hub has used a processor.
func (w *world) worked() time.Duration {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.hub.Process.Pid))
	_, after, _ := bytes.Cut(data, []byte(") "))
	ticks := 0
	if fields := bytes.Fields(after); len(fields) > 12 {
		for _, f := range fields[11:13] { // in user and in system mode, in hundredths of a second
			n, _ := strconv.Atoi(string(f))
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// floodOfAsks asks until that is refused.
func floodOfAsks(w *world) {
	key := w.keys["mallory"]
	refused := 0
	for i := range 400 {
		if r := w.do("POST", "/v1/asks", key, yesNo(fmt.Sprintf("Flood %d?", i))); r.status == 429 {
			refused++
			break
		}
	}
	if refused == 0 {
		w.t.Error("one asker has 400 open asks")
	}
	w.asked(w.keys["alice"], "May I still ask?")
}
