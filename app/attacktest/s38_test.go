package attacktest

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// TestS38 asks what another asker has asked, in its conversation. A response to
// "whatever waits in this conversation" must not answer the wrong one of the two,
// neither while both wait nor once the right one is gone.
//
// Every state of a conversation is in app/httpapi.
func TestS38(t *testing.T) {
	w := newWorld(t)
	alice, mallory, bob := w.key("asker", "alice"), w.key("asker", "mallory"), w.key("answerer", "bob")
	w.serve()
	const text = "Deploy build 7 to production?"
	in := func(name string) message { return message{"conversation": name} }
	for _, how := range []struct {
		name string
		with func(shown *reply) message
	}{
		{"without a name", func(*reply) message { return message{} }},
		{"by digest", func(shown *reply) message { return message{"digest": shown.json["digest"]} }},
		{"by id", func(shown *reply) message { return message{"ask": shown.json["id"]} }},
		{"by id and digest", func(shown *reply) message {
			return message{"ask": shown.json["id"], "digest": shown.json["digest"]}
		}},
	} {
		for _, when := range []string{"while both wait", "after it was withdrawn", "asked after it was withdrawn"} {
			t.Run(how.name+" "+when, func(t *testing.T) {
				w, conversation := w.in(t), strings.ReplaceAll(how.name+" "+when, " ", "-")
				shown := w.asked(alice, text, "origin", in(conversation))
				var forged *reply
				withdraw := func() { w.do("POST", "/v1/asks/"+shown.text("id")+"/withdraw", alice, message{}) }
				forge := func() { forged = w.asked(mallory, text, "origin", in(conversation)) }
				switch when {
				case "while both wait":
					forge()
				case "after it was withdrawn":
					forge()
					withdraw()
				default:
					withdraw()
					forge()
				}
				if shown.text("digest") != forged.text("digest") {
					t.Error("the digests differ: this test shows nothing")
				}
				with := how.with(shown)
				with["answers"] = message{text: "Yes"}
				r := w.do("POST", "/conversations/"+conversation+"/respond", bob, with)
				if got := w.do("GET", "/v1/asks/"+forged.text("id"), mallory, nil).text("status"); got != "pending" {
					t.Errorf("the response got %d, and mallory's ask is %s", r.status, got)
				}
			})
		}
	}
}

// s38 are the guards of TestS38, each turned off.
var s38 = []mutanttest.Mutant{
	{
		Name: "a response need not name what was shown", Test: "TestS38", Says: `mallory's ask is answered`,
		Edits: []mutanttest.Edit{
			{File: "app/httpapi/conversation.go", Old: "if in.Ask == \"\" && in.Digest == \"\" && !s.opts.OneAsker {", New: "if in.Ask == \"\" && in.Digest == \"\" && !s.opts.OneAsker && !MUTANT {"},
			{File: "app/httpapi/conversation.go", Old: "len(open) == 1 && m.ask == \"\" && len(askers) > 1:", New: "len(open) == 1 && m.ask == \"\" && len(askers) > 1 && !MUTANT:"},
		},
	},
	{
		Name: "a digest stands for its asker", Test: "TestS38/by_digest_after_it_was_withdrawn", Says: `mallory's ask is answered`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/conversation.go", Old: "\t\taskers[t.Ask.Origin.Asker] = true\n", New: "\t\tif !MUTANT {\n\t\t\taskers[t.Ask.Origin.Asker] = true\n\t\t}\n"}},
	},
	{
		Name: "the id in a response does not count", Test: "TestS38/by_id_after_it_was_withdrawn", Says: `mallory's ask is answered`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/conversation.go", Old: "(m.ask == \"\" || m.ask == h.Handle(t.Address))", New: "(m.ask == \"\" || MUTANT || m.ask == h.Handle(t.Address))"}},
	},
}
