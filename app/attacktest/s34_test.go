package attacktest

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// TestS34 asks under a false name. Every surface must show whose key the question
// came with, apart from what the asker says about itself.
//
// The terminal is held to the same by TestSurface of app/surface/surfacetest.
func TestS34(t *testing.T) {
	w := newWorld(t)
	mallory, bob := w.key("asker", "mallory"), w.key("answerer", "bob")
	w.serve()
	const text, claim, place = "Rotate the root password?", "Security Team (verified)", "/home/bob/payroll"
	ask := w.asked(mallory, text, "origin", message{
		"asker": "alice", "via": "socket", "agents": []string{claim}, "workspace": place,
	})
	id := ask.text("id")
	if waits := w.waiting(bob, text); waits.json["ask"].(message)["origin"].(message)["asker"] != "mallory" {
		t.Errorf("GET /v1/asks names another asker: %v", waits.json["ask"])
	}

	show, _, _ := w.sayso("show", askID(ask.json))
	list, _, _ := w.sayso("list")
	web := w.browser()
	for _, s := range []struct{ surface, shown, asker string }{
		{"sayso show", show, `(?m)^Asked by: mallory \(over http\)\nSays it is: Security Team \(verified\) · /home/bob/payroll$`},
		{"sayso list", list, `by mallory \(over http\) +says Security Team \(verified\) · /home/bob/payroll `},
		{"the web page", words(web.get("/ask/" + id)), `Asked by: mallory \(over http\) Says it is: Security Team \(verified\) · /home/bob/payroll Asked`},
		{"the web list", words(web.get("/")), `Says it is: Security Team \(verified\) · /home/bob/payroll just now Rotate the root password\? Asked by: mallory \(over http\) `},
	} {
		if !regexp.MustCompile(s.asker).MatchString(s.shown) {
			t.Errorf("%s does not show who asks apart from who it says it is:\n%s", s.surface, s.shown)
		}
	}
	for _, method := range []string{"client/ask_user", "ask_user_request"} {
		_, params := w.pipe(nil, "rpc", "--attach", method).request(method)
		if params["asker"] != "mallory (over http)" || params["claim"] != claim+" · "+place {
			t.Errorf("%s does not show who asks apart from who it says it is: %v, %v", method, params["asker"], params["claim"])
		}
	}
}

// words are those that a page shows.
func words(r *reply) string {
	text := html.UnescapeString(tags.ReplaceAllString(string(r.body), " "))
	return strings.Join(strings.Fields(text), " ")
}

var tags = regexp.MustCompile(`<[^>]*>`)

// s34 are the guards of TestS34, each turned off.
var s34 = []mutanttest.Mutant{
	{
		Name: "the asker says which way it came", Test: "TestS34", Says: `sayso show does not show who asks`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/asks.go", Old: "a.Origin.Asker, a.Origin.Via, a.AskedAt = c.who.ID, c.via(), time.Time{}\n", New: "said := a.Origin.Via\n\ta.Origin.Asker, a.Origin.Via, a.AskedAt = c.who.ID, c.via(), time.Time{}\n\tif MUTANT {\n\t\ta.Origin.Via = said\n\t}\n"}},
	},
	{
		Name: "sayso show shows the claim alone", Test: "TestS34", Says: `sayso show does not show who asks`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/list.go", Old: "lines := []string{a.ID, \"Asked by: \" + a.Origin.Verified()}\n", New: "lines := []string{a.ID, \"Asked by: \" + a.Origin.Verified()}\n\tif MUTANT {\n\t\tlines[1] = \"Asked by: \" + a.Origin.Claim()\n\t}\n"}},
	},
	{
		Name: "sayso list shows the claim alone", Test: "TestS34", Says: `sayso list does not show who asks`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/list.go", Old: "\t\tfor i, cell := range row {\n", New: "\t\tif MUTANT {\n\t\t\trow[3] = \"by \" + t.Ask.Origin.Claim()\n\t\t}\n\t\tfor i, cell := range row {\n"}},
	},
	{
		Name: "the web page shows the claim alone", Test: "TestS34", Says: `the web page does not show who asks`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/form.go", Old: "\tif v.Closed != nil {\n\t\treturn v\n", New: "\tif MUTANT {\n\t\tv.Verified = v.Claim\n\t}\n\tif v.Closed != nil {\n\t\treturn v\n"}},
	},
	{
		Name: "the web list shows the claim alone", Test: "TestS34", Says: `the web list does not show who asks`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/row.go", Old: "\tif r.Open {\n\t\tr.Blocked", New: "\tif MUTANT {\n\t\tr.Verified = r.Name\n\t}\n\tif r.Open {\n\t\tr.Blocked"}},
	},
	{
		Name: "rpc shows the claim alone", Test: "TestS34", Says: `client/ask_user does not show who asks`,
		Edits: []mutanttest.Edit{{File: "dialect/piform.go", Old: "\tif !a.Deadline.IsZero() {\n\t\tf.Deadline", New: "\tif MUTANT {\n\t\tf.Asker = f.Claim\n\t}\n\tif !a.Deadline.IsZero() {\n\t\tf.Deadline"}},
	},
}
