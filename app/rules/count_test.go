package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

func run(command string) *sayso.Ask {
	input, _ := json.Marshal(map[string]string{"command": command})
	p := sayso.NewApproval(sayso.ApproveShell, "Bash", input, &sayso.ApprovalOptions{Command: "command"})
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
	a := &sayso.Ask{Approval: p, Origin: sayso.Origin{Host: "claude-code", Conversation: "s1"}}
	a.Normalize()
	return a
}

// stores are what rules are kept in.
var stores = map[string]func(t *testing.T) func() hub.Store{
	"memory": func(t *testing.T) func() hub.Store {
		s := hub.NewMemory(nil)
		return func() hub.Store { return s }
	},
	"nats": func(t *testing.T) func() hub.Store {
		srv, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { srv.Close(context.Background()) })
		return func() hub.Store {
			conn, err := srv.Conn(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			s, err := natsstore.Open(t.Context(), conn, &natsstore.Options{Mark: srv})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
	},
}

// node is one of several hubs over one store.
type node struct {
	hub   *hub.Hub
	rules *rules.Rules
}

func nodes(t *testing.T, store func() hub.Store) (all []node) {
	for range 3 {
		s := store()
		r := rules.New(s, nil)
		h, err := hub.Open(t.Context(), s, &hub.Options{Decide: r.Decide, Key: []byte("a key for these tests")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		all = append(all, node{h, r})
	}
	return all
}

// allow makes a rule of a call that ann allowed.
func (n *node) allow(t *testing.T, a *sayso.Ask, ends rules.Ends) hub.Rule {
	t.Helper()
	tk, err := n.hub.Submit(t.Context(), "acme", a)
	if err == nil {
		tk, err = n.hub.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}).Close(t.Context(), tk, &sayso.Outcome{
			Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{"once"}}},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := rules.NewAllow(tk, "ann", ends, tk.Outcome.At)
	if err == nil {
		r, err = n.rules.Add(t.Context(), "acme", r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReplay(t *testing.T) { rules.ReplayRandomly(t, testenv.Rand(t)) }

func TestDoubt(t *testing.T) { rules.DoubtRandomly(t, testenv.Rand(t)) }

// TestCount uses a rule from three hubs at once: never more often than it may be.
func TestCount(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := nodes(t, open(t))
			const count, calls = 7, 60
			r := all[0].allow(t, run("npm test"), rules.Ends{Count: count})
			var allowed, waits atomic.Int64
			var wg sync.WaitGroup
			for i := range calls {
				wg.Go(func() {
					a := run("npm test")
					a.ID = fmt.Sprint("call", i)
					tk, err := all[i%3].hub.Submit(t.Context(), "acme", a)
					switch {
					case err != nil:
						t.Error(err)
					case tk.Open():
						waits.Add(1)
					case tk.Outcome.By.ID == r.ID && tk.Ask.Verdict(tk.Outcome).Allowed():
						allowed.Add(1)
					}
				})
			}
			wg.Wait()
			if n := allowed.Load(); n != count || waits.Load() != calls-count {
				t.Errorf("%d were allowed and %d wait, want %d of %d", n, waits.Load(), count, calls)
			}
			list, err := all[2].rules.List(t.Context(), "acme")
			if err != nil || list[0].Used != count {
				t.Errorf("used %+v, %v", list, err)
			}
		})
	}
}

// TestRevoked revokes a rule at one hub while others use it: what is asked after that is
// left to people. A rule that denies holds everywhere once it was added.
func TestRevoked(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := nodes(t, open(t))
			id := 0
			submit := func(n int) *hub.Ticket {
				t.Helper()
				a := run("npm test")
				id++
				a.ID = fmt.Sprint("call", id)
				tk, err := all[n].hub.Submit(t.Context(), "acme", a)
				if err != nil {
					t.Fatal(err)
				}
				return tk
			}
			for round := range 20 {
				a := run("npm test")
				a.ID = fmt.Sprint("made", round)
				r := all[round%3].allow(t, a, rules.Ends{Count: 100})
				for n := range all {
					if tk := submit(n); tk.Open() {
						t.Fatalf("round %d: hub %d does not know the rule", round, n)
					}
				}
				if round%2 == 0 {
					if _, err := all[(round+1)%3].rules.Revoke(t.Context(), "acme", "ann", func(one *hub.Rule) bool { return one.ID == r.ID }); err != nil {
						t.Fatal(err)
					}
					for n := range all {
						if tk := submit(n); !tk.Open() {
							t.Fatalf("round %d: hub %d uses a rule that was revoked", round, n)
						}
					}
					continue
				}
				deny, err := rules.NewPattern(hub.Rule{Act: hub.RuleDeny, Pattern: &hub.RulePattern{Tool: "Bash"}}, "ann", r.Made)
				if err == nil {
					_, err = all[(round+2)%3].rules.Add(t.Context(), "acme", deny)
				}
				if err != nil {
					t.Fatal(err)
				}
				for n := range all {
					if tk := submit(n); tk.Open() || tk.Ask.Verdict(tk.Outcome).Allowed() {
						t.Fatalf("round %d: hub %d does not deny", round, n)
					}
				}
				if _, err := all[0].rules.Revoke(t.Context(), "acme", "ann", func(*hub.Rule) bool { return true }); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
