package attacktest

import (
	"strings"
	"testing"
)

// TestWorld shows that what the attacks are made of works: an honest ask gets its
// honest answer.
func TestWorld(t *testing.T) {
	w := newWorld(t)
	agent, bob := w.key("asker", "agent"), w.key("answerer", "bob")
	w.serve()
	a := w.asked(agent, "Deploy?")
	if r := w.do("PUT", "/v1/asks/"+a.text("id")+"/answer", bob, yes(a.text("digest"))); r.status != 200 {
		t.Fatalf("answering: %d %s", r.status, r.body)
	}
	if r := w.do("GET", "/v1/asks/"+a.text("id"), agent, nil); r.text("status") != "answered" {
		t.Fatalf("the agent reads %d %s", r.status, r.body)
	}
	w.asked(agent, "Ship it?")
	if r := w.browser().get("/"); r.status != 200 || !strings.Contains(string(r.body), "Ship it?") {
		t.Fatalf("the web inbox: %d %s", r.status, r.body)
	}
}
