package rules

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// clock is a time that tests set.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time      { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) set(at time.Time)    { c.at.Store(at.UnixNano()) }
func (c *clock) add(d time.Duration) { c.at.Add(int64(d)) }

// world is a hub whose rules decide.
type world struct {
	testing.TB
	clock clock
	store hub.Store
	rules *Rules
	hub   *hub.Hub
}

func newWorld(t testing.TB, store hub.Store) *world {
	w := &world{TB: t, store: store}
	w.clock.set(noon)
	w.rules = New(store, &Options{Now: w.clock.now})
	var err error
	if w.hub, err = hub.Open(context.Background(), store, &hub.Options{Now: w.clock.now, Decide: w.rules.Decide, Key: []byte("a key for these tests")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.hub.Stop)
	return w
}

var serial atomic.Int64

// submit asks for a call under a new id.
func (w *world) submit(a *sayso.Ask) *hub.Ticket {
	w.Helper()
	a = a.Clone()
	a.ID, a.AskedAt = fmt.Sprint("ask", serial.Add(1)), time.Time{}
	t, err := w.hub.Submit(context.Background(), "acme", a)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

func (w *world) answer(t *hub.Ticket, person string, ans sayso.Answer) *hub.Ticket {
	w.Helper()
	ans.QuestionID = sayso.VerdictQuestion
	got, err := w.hub.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: person, Surface: "web"}).Close(context.Background(), t, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}})
	if err != nil {
		w.Fatal(err)
	}
	return got
}

func (w *world) add(r hub.Rule, err error) hub.Rule {
	w.Helper()
	if err == nil {
		r, err = w.rules.Add(context.Background(), "acme", r)
	}
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *world) allowed(t *hub.Ticket) bool { return !t.Open() && t.Ask.Verdict(t.Outcome).Allowed() }

// bases are those of the table, read once.
var bases sync.Map

func base(t testing.TB, name, change string) *sayso.Ask {
	f, ok := bases.Load(name)
	if !ok {
		for name, f := range readTable(t).bases {
			bases.Store(name, f)
		}
		f, _ = bases.Load(name)
	}
	_, other := parseFields(t, change)
	return newAsk(f.(fields).with(other))
}

// TestLife makes a rule of what a person allowed, and uses it until it ends.
func TestLife(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	call := base(t, "test", "")
	made := w.answer(w.submit(call), "ann", sayso.Answer{Selected: []string{"once"}})
	for name, c := range map[string]struct {
		ends Ends
		to   func() // after which it is over
	}{
		"count":   {Ends{Count: 2}, func() { w.submit(call) }},
		"time":    {Ends{For: time.Hour}, func() { w.clock.add(time.Hour) }},
		"longest": {Ends{Session: true}, func() { w.clock.add(LongestAllow) }},
		"session": {Ends{Session: true}, func() { call = base(t, "test", "session=s2") }},
	} {
		call = base(t, "test", "")
		r := w.add(NewAllow(made, "ann", c.ends, w.clock.now()))
		got := w.submit(call)
		if id, ok := ByRule(got.Outcome); !ok || id != r.ID || !w.allowed(got) {
			t.Errorf("%s: the rule does not allow: %+v", name, got.Outcome)
		}
		c.to()
		if got := w.submit(call); !got.Open() {
			t.Errorf("%s: the rule is over and decides: %+v", name, got.Outcome)
		}
		if _, err := w.rules.Revoke(t.Context(), "acme", "ann", func(*hub.Rule) bool { return true }); err != nil {
			t.Fatal(err)
		}
	}
	r := w.add(NewAllow(made, "ann", Ends{Count: 9}, w.clock.now()))
	if other := base(t, "test", ""); !w.allowed(w.submit(other)) {
		t.Error("the rule does not allow")
	}
	if got, err := w.hub.Submit(t.Context(), "other", base(t, "test", "")); err != nil || !got.Open() {
		t.Errorf("a rule of another tenant decides: %v", err)
	}
	if _, err := w.rules.Revoke(t.Context(), "acme", "ann", func(one *hub.Rule) bool { return one.ID == r.ID }); err != nil {
		t.Fatal(err)
	}
	if got := w.submit(base(t, "test", "")); !got.Open() {
		t.Error("the rule is revoked and decides")
	}
	if _, err := w.rules.Revoke(t.Context(), "acme", "ann", func(one *hub.Rule) bool { return false }); !errors.Is(err, ErrNoRule) {
		t.Errorf("nothing was revoked: %v", err)
	}
}

// TestLarge allows again what a person opened all of, and nothing that only begins so.
func TestLarge(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	open := w.submit(base(t, "big", ""))
	_, hashes, err := hub.Whole(t.Context(), w.hub, open)
	if err != nil || len(hashes) == 0 {
		t.Fatal(hashes, err)
	}
	made := w.answer(open, "ann", sayso.Answer{Selected: []string{"once"}, Opened: hashes})
	w.add(NewAllow(made, "ann", Ends{Count: 5}, w.clock.now()))
	if got := w.submit(base(t, "big", "")); !w.allowed(got) {
		t.Errorf("the rule does not allow: %+v", got.Outcome)
	}
	if got := w.submit(base(t, "big", `large="the End"`)); !got.Open() {
		t.Errorf("another end is allowed: %+v", got.Outcome)
	}
	w.add(NewPattern(hub.Rule{Act: hub.RuleDeny, Pattern: &hub.RulePattern{Contains: "the end"}, Message: "no"}, "ann", w.clock.now()))
	got := w.submit(base(t, "big", ""))
	if v := got.Ask.Verdict(got.Outcome); v == nil || v.Allowed() || v.Message != "no" {
		t.Errorf("what is stored beside the ask is not searched: %+v", got.Outcome)
	}
	unseen := w.answer(w.submit(base(t, "big", `large="x"`)), "ann", sayso.Answer{Selected: []string{sayso.OfferUnseen}})
	if _, err := NewAllow(unseen, "ann", Ends{Count: 5}, w.clock.now()); err == nil || !strings.Contains(err.Error(), "unseen") {
		t.Errorf("a rule of what nobody has seen: %v", err)
	}
}

// TestUnfit tries to make rules that allow of what must not become one.
func TestUnfit(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	one := Ends{Count: 1}
	closed := func(name, change, person string, ans sayso.Answer) *hub.Ticket {
		a := base(t, name, change)
		for i := range a.Approval.Offers {
			a.Approval.Offers[i].Edit = a.Approval.Offers[i].Act == sayso.ActAllow
		}
		a.Normalize()
		return w.answer(w.submit(a), person, ans)
	}
	once := sayso.Answer{Selected: []string{"once"}}
	by := func(t *hub.Ticket, by sayso.Responder) *hub.Ticket {
		c, o := *t, *t.Outcome
		o.By, c.Outcome = by, &o
		return &c
	}
	good := closed("test", "", "ann", once)
	if _, err := NewAllow(good, "ann", one, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := NewAllow(by(good, sayso.Responder{Kind: sayso.ByProgram, Surface: "claude-code"}), "ann", one, noon); err != nil {
		t.Errorf("what was allowed in the agent's own dialog: %v", err)
	}
	question := &sayso.Ask{Questions: []sayso.Question{{Text: "Which?"}}}
	question.Normalize()
	asked := w.submit(question)
	large := w.submit(base(t, "big", ""))
	_, hashes, _ := hub.Whole(t.Context(), w.hub, large)
	large = w.answer(large, "ann", sayso.Answer{Selected: []string{"once"}, Opened: hashes})
	for name, c := range map[string]struct {
		t    *hub.Ticket
		by   string
		ends Ends
		says string
	}{
		"a question":       {asked, "ann", one, "is a question"},
		"open":             {w.submit(base(t, "test", "")), "ann", one, "is open"},
		"denied":           {closed("test", "", "ann", sayso.Answer{Selected: []string{"deny"}}), "ann", one, "was not allowed"},
		"changed":          {closed("test", "", "ann", sayso.Answer{Selected: []string{"once"}, Input: `{"command":"true"}`}), "ann", one, "changed input"},
		"by bob":           {closed("test", "", "bob", once), "ann", one, "somebody else"},
		"by a rule":        {by(good, sayso.Responder{Kind: sayso.ByPolicy, ID: "rule_1", Surface: Surface}), "ann", one, "by rule rule_1"},
		"by an agent":      {by(good, sayso.Responder{Kind: sayso.ByAgent, ID: "planner"}), "ann", one, "not allowed by a person"},
		"large, elsewhere": {by(large, sayso.Responder{Kind: sayso.ByProgram, Surface: "claude-code"}), "ann", one, "own dialog"},
		"a plan":           {closed("plan", "offers=once,deny", "ann", once), "ann", one, "is a plan"},
		"a grant":          {closed("test", "kind=grant", "ann", once), "ann", one, "is a grant"},
		"always only":      {closed("test", "offers=always,deny", "ann", sayso.Answer{Selected: []string{"always"}}), "ann", one, "offers no allow"},
		"to bob":           {by(closed("test", "to=bob", "bob", once), sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}), "ann", one, "to somebody else"},
		"no end":           {good, "ann", Ends{}, "has to end"},
		"31 days":          {good, "ann", Ends{For: LongestAllow + 1}, "30 days"},
		"a count below 0":  {good, "ann", Ends{Count: -1}, "count"},
		"no session":       {closed("test", "session=-", "ann", once), "ann", Ends{Session: true}, "session"},
	} {
		r, err := NewAllow(c.t, c.by, c.ends, noon)
		if err == nil || !errors.Is(err, ErrRule) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if _, err := NewPattern(hub.Rule{Act: hub.RuleAllow, Pattern: &hub.RulePattern{Tool: "*"}}, "ann", noon); err == nil {
		t.Error("a pattern allows")
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestExplain says what is different.
func TestExplain(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	made := w.answer(w.submit(base(t, "test", "")), "ann", sayso.Answer{Selected: []string{"once"}})
	w.add(NewAllow(made, "ann", Ends{Count: 1}, w.clock.now()))
	first := w.submit(base(t, "test", ""))
	list := must(w.rules.List(t.Context(), "acme"))(t)
	for _, c := range []struct{ change, says string }{
		{"-", "Allowed by rule " + list[0].ID + ": allow “Run: npm test” in /p/shop"},
		{"cwd=/p/other", "the directory is another one"},
		{`input="npm test "`, "the input of the tool is another one"},
		{"agents=x", "a sub-agent"},
		{"asker=ci", "another credential"},
		{"to=bob", "who made the rule cannot answer"},
		{"", "used 1 times"},
	} {
		tk := first
		if c.change != "-" {
			tk = w.submit(base(t, "test", c.change))
		}
		e := must(Explain(t.Context(), list, tk, w.hub, w.clock.now()))(t)
		if !strings.Contains(e.Text, c.says) {
			t.Errorf("%s: %s", c.change, e.Text)
		}
	}
}

// TestUnreadable keeps approvals out while the rules cannot be read.
func TestUnreadable(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	for i, data := range []string{``, `{`, `{"v":2,"rules":[]}`, `{"v":1,"rules":[{"id":"r","act":"allow","made":"2026-11-17T12:00:00Z","pattern":{"tool":"*"}}]}`, `{"v":1,"rules":[],"more":1}`} {
		rec, _ := w.store.Get(t.Context(), hub.KindRule, address("acme"))
		if _, err := w.store.Put(t.Context(), hub.Record{Kind: hub.KindRule, Address: address("acme"), Data: []byte(data)}, rec.Revision); err != nil {
			t.Fatal(err)
		}
		a := base(t, "test", "")
		a.ID = fmt.Sprint("unreadable", i)
		if got, err := w.hub.Submit(t.Context(), "acme", a); err == nil {
			t.Errorf("%s: decided as %+v", data, got.Outcome)
		}
		if err := w.rules.Reset(t.Context(), "acme"); err != nil {
			t.Fatal(err)
		}
		if got, err := w.hub.Submit(t.Context(), "acme", a); err != nil || !got.Open() {
			t.Errorf("after a reset: %v", err)
		}
	}
}

// TestMany keeps a person within a number of rules, and forgets those that ended.
func TestMany(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	deny := hub.Rule{Act: hub.RuleDeny, Pattern: &hub.RulePattern{Tool: "x"}}
	for range MaxRules {
		w.add(NewPattern(deny, "ann", w.clock.now()))
	}
	r := must(NewPattern(deny, "ann", w.clock.now()))(t)
	if _, err := w.rules.Add(t.Context(), "acme", r); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	w.add(NewPattern(deny, "bob", w.clock.now()))
	if _, err := w.rules.Revoke(t.Context(), "acme", "ann", func(r *hub.Rule) bool { return r.By == "ann" }); err != nil {
		t.Fatal(err)
	}
	w.add(NewPattern(deny, "ann", w.clock.now()))
	w.clock.add(hub.KeepApprovals + time.Hour)
	w.add(NewPattern(deny, "ann", w.clock.now()))
	if list := must(w.rules.List(t.Context(), "acme"))(t); len(list) != 3 {
		t.Errorf("%d rules are kept", len(list))
	}
}

// DoubtRandomly never allows more than it may while the store does not say what became of
// writes.
func DoubtRandomly(t *testing.T, rng *rand.Rand) {
	store := &doubtful{Store: hub.NewMemory(nil), chance: func() int { return rng.IntN(4) }}
	w := newWorld(t, store)
	made := w.answer(w.submit(base(t, "test", "")), "ann", sayso.Answer{Selected: []string{"once"}})
	w.add(NewAllow(made, "ann", Ends{Count: 10}, w.clock.now()))
	store.on.Store(true)
	n := 0
	for range 40 {
		if w.allowed(w.submit(base(t, "test", ""))) {
			n++
		}
	}
	if n > 10 || n == 0 {
		t.Errorf("%d were allowed of 10", n)
	}
}

// doubtful is a store that sometimes does not say whether a rule was written.
type doubtful struct {
	hub.Store
	mu     sync.Mutex
	chance func() int
	on     atomic.Bool
}

func (d *doubtful) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if d.on.Load() && r.Kind == hub.KindRule {
		d.mu.Lock()
		n := d.chance()
		d.mu.Unlock()
		switch n {
		case 0:
			return 0, hub.ErrUndecided
		case 1:
			d.Store.Put(ctx, r, expect)
			return 0, hub.ErrUndecided
		}
	}
	return d.Store.Put(ctx, r, expect)
}
