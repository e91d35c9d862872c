package attacktest

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/hub"
)

// TestS39: mallory uses the ids, keys, tool calls, conversations and handles of
// alice. Both get what they asked for, and nothing that mallory is told depends on
// what alice has.
func TestS39(t *testing.T) {
	with, without := s39Probe(t, true), s39Probe(t, false)
	for i := range with {
		if with[i] != without[i] {
			t.Errorf("mallory's reply tells that alice has something:\n with alice: %s\n without:    %s", with[i], without[i])
		}
	}
}

// s39Probe lets mallory try everything, with alice's asks there or not, and returns
// what mallory was told.
func s39Probe(t *testing.T, there bool) (told []string) {
	w := newWorld(t)
	alice, mallory, bob := w.key("asker", "alice"), w.key("asker", "mallory"), w.key("answerer", "bob")
	w.serve()
	const asked = "Deploy to production?"
	conversation := map[string]any{"conversation": "payments"}
	const call = "/v1/asks?dialect=claude&conversation=payments&toolCall=toolu_1"
	questions := map[string]any{"questions": []any{map[string]any{
		"question": asked, "header": "Deploy", "options": []any{map[string]any{"label": "Yes"}, map[string]any{"label": "No"}},
	}}}
	again := [][3]any{ // what two may send alike: path, body, idempotency key
		{"/v1/asks", yesNo(asked, "id", "deploy-42", "origin", conversation), ""},
		{"/v1/asks", yesNo(asked, "id", "deploy-42"), ""},
		{"/v1/asks", yesNo(asked, "id", "deploy-44", "to", []string{"bob"}), ""},
		{call, questions, ""},
		{"/v1/asks", yesNo(asked, "origin", map[string]any{"conversation": "payments", "toolCall": "toolu_2"}), ""},
		{"/v1/asks", yesNo(asked), "key-1"},
		{"/v1/asks", yesNo(asked, "origin", conversation), "key-2"},
	}
	handles := slices.Repeat([]string{strings.Repeat("QUJD", 30)}, len(again)) // nobody's
	var digests []string
	for i, a := range again {
		if there {
			r := w.do("POST", a[0].(string), alice, a[1], "Idempotency-Key", a[2].(string))
			if r.status != http.StatusCreated {
				t.Fatalf("alice asks: %d %s", r.status, r.body)
			}
			handles[i] = r.text("id")
			digests = append(digests, r.text("digest"))
		}
	}
	answered := yes("")
	if there {
		answered = yes(digests[0])
		if r := w.do("PUT", "/v1/asks/"+handles[0]+"/answer", bob, answered); r.status != http.StatusOK {
			t.Fatalf("bob answers alice: %d %s", r.status, r.body)
		}
	}

	tell := func(what string, r *reply) {
		told = append(told, what+": "+s39Normal(r, handles))
	}
	for i, handle := range handles[:3] { // before mallory has anything
		for _, try := range [][2]string{
			{"GET", ""}, {"GET", "?wait=1ms"}, {"POST", "/withdraw"}, {"POST", "/consumed"}, {"GET", "/draft"}, {"POST", "/undo"},
		} {
			tell(fmt.Sprint(try, i), w.do(try[0], "/v1/asks/"+handle+try[1], mallory, nil))
		}
		tell("relay", w.do("POST", "/v1/asks/"+handle+"/relay", mallory, answered))
		tell("answer", w.do("PUT", "/v1/asks/"+handle+"/answer", mallory, answered))
		tell("save draft", w.do("PUT", "/v1/asks/"+handle+"/draft", mallory, map[string]any{"reply": "x"}))
		tell("call", w.do("POST", "/v1/dialects/claude/call?wait=1ms", mallory, map[string]any{"ask": handle}))
	}
	tell("list", w.do("GET", "/v1/asks?status=any", mallory, nil))
	tell("conversation", w.do("GET", "/v1/asks?status=any&conversation=payments", mallory, nil))
	for _, a := range again {
		r := w.do("POST", a[0].(string), mallory, a[1], "Idempotency-Key", a[2].(string))
		if r.status != http.StatusCreated {
			t.Errorf("mallory asks what alice asked: %d %s", r.status, r.body)
		}
		tell("the same", r)
	}
	// The text that mallory guesses is hers to be told about, not alice's.
	tell("a guess", w.do("POST", "/v1/asks", mallory, yesNo("Pay the invoice?", "id", "deploy-42", "origin", conversation)))
	tell("a key", w.do("POST", "/v1/asks", mallory, yesNo("Pay the invoice?"), "Idempotency-Key", "key-1"))
	place := hub.AddressOf("local", &sayso.Ask{ID: "deploy-42", Origin: sayso.Origin{Asker: "alice"}}).ID
	tell("alice's place", w.do("POST", "/v1/asks", mallory, yesNo(asked, "id", place)))
	tell("list", w.do("GET", "/v1/asks?status=any&conversation=payments", mallory, nil))

	if there { // mallory has changed nothing
		for i, a := range again {
			r := w.do("POST", a[0].(string), alice, a[1], "Idempotency-Key", a[2].(string))
			if want := map[bool]string{true: "answered", false: "pending"}[i == 0]; r.status != http.StatusOK || r.text("id") != handles[i] || r.text("status") != want {
				t.Errorf("alice asks again: %d %s", r.status, r.body)
			}
			if ask, _ := r.json["ask"].(map[string]any); i == 0 && ask["id"] != "deploy-42" {
				t.Errorf("alice's id is shown as %v", ask["id"])
			}
		}
	}
	return told
}

// What differs from one run to the next and says nothing of others: handles and
// the ids in them, times, and revisions, which count the writes of a store.
var (
	s39Times     = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)
	s39Revisions = regexp.MustCompile(`"revision":\d+`)
	s39Handles   = regexp.MustCompile(`[A-Za-z0-9_-]{60,}`)
)

// s39Normal returns everything in a reply that two runs have in common. A handle
// that mallory showed may come back.
func s39Normal(r *reply, shown []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.status)
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		if name != "Date" && name != "Content-Length" {
			fmt.Fprintln(&b, name, r.header[name])
		}
	}
	b.Write(r.body)
	s := b.String()
	for _, h := range shown {
		s = strings.ReplaceAll(s, h, "SHOWN")
	}
	s = s39Handles.ReplaceAllString(s, "HANDLE")
	s = s39Revisions.ReplaceAllString(s, `"revision":N`)
	return s39Times.ReplaceAllString(s, "TIME")
}

// s39 are the guards of TestS39, each turned off.
var s39 = []mutanttest.Mutant{
	{
		Name: "askers share their ids", Test: "TestS39", Says: `mallory asks what alice asked: 409`,
		Edits: []mutanttest.Edit{
			{File: "hub/place.go", Old: `if asker == "" {`, New: `if MUTANT || asker == "" {`},
		},
	},
	{
		Name: "a handle is a permission to read", Test: "TestS39", Says: `tells that alice has something`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/view.go", Old: "t.Ask.Origin.Asker == who.ID:", New: "(MUTANT || t.Ask.Origin.Asker == who.ID):"}},
	},
	{
		Name: "an earlier ask is forgotten", In: "../../hub", Test: "TestReaddress", Says: `moved to`,
		Edits: []mutanttest.Edit{{File: "hub/earlier.go", Old: "addr := AddressOf(r.Address.Tenant, t.Ask)\n", New: "addr := AddressOf(r.Address.Tenant, t.Ask)\n\tif MUTANT {\n\t\taddr.Asker = \"\"\n\t}\n"}},
	},
	{
		Name: "an old handle opens any ask", In: "../../hub", Test: "TestReaddress", Says: `the old handle of another`,
		Edits: []mutanttest.Edit{{File: "hub/earlier.go", Old: "addr.ID == ids[0] || addr.ID == ids[1] {", New: "MUTANT || addr.ID == ids[0] || addr.ID == ids[1] {"}},
	},
}
