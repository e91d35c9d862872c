package sayso_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
)

var errBroken = errors.New("disk full")

// after returns a resolver that comes back with o, err after d, or with the
// cause when its context ends first.
func after(d time.Duration, o *sayso.Outcome, err error) sayso.Resolver {
	return sayso.ResolverFunc(func(ctx context.Context, _ *sayso.Ask) (*sayso.Outcome, error) {
		select {
		case <-time.After(d):
			return o, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
}

// replies are the ways in which a resolver can come back, by the letter that
// the tables below use for it.
var replies = map[rune]func() (*sayso.Outcome, error){
	'a': func() (*sayso.Outcome, error) { return answered(sayso.Answer{QuestionID: "q2", Other: "yes"}), nil },
	'd': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusDeclined}, nil },
	'c': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusCancelled}, nil },
	'x': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusExpired}, nil },
	's': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusSuperseded}, nil },
	'p': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusPending}, nil },
	'e': func() (*sayso.Outcome, error) { return answered(sayso.Answer{QuestionID: "q2", Other: " "}), nil },
	'n': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusUnanswered}, nil },
	'u': func() (*sayso.Outcome, error) { return &sayso.Outcome{Status: sayso.StatusUnreachable}, nil },
	'U': func() (*sayso.Outcome, error) { return nil, fmt.Errorf("no terminal: %w", sayso.ErrUnreachable) },
	'B': func() (*sayso.Outcome, error) { return nil, errBroken },
	'0': func() (*sayso.Outcome, error) { return nil, nil },
}

// said returns the letter of what a resolver came back with.
func said(o *sayso.Outcome, err error) rune {
	switch {
	case errors.Is(err, sayso.ErrUnreachable):
		return 'U'
	case err != nil:
		return 'B'
	}
	switch o.Status {
	case sayso.StatusAnswered:
		if !o.HasAnswer() {
			return 'e'
		}
		return 'a'
	case sayso.StatusDeclined:
		return 'd'
	case sayso.StatusCancelled:
		return 'c'
	case sayso.StatusExpired:
		return 'x'
	case sayso.StatusSuperseded:
		return 's'
	case sayso.StatusPending:
		return 'p'
	case sayso.StatusUnanswered:
		return 'n'
	}
	return 'u'
}

// TestRace runs every pair of replies in both orders: the first that decides
// wins; if none does, the most hopeful is told.
func TestRace(t *testing.T) {
	t.Parallel()
	rank := map[rune]int{'a': 0, 'd': 0, 'c': 0, 'x': 0, 's': 0, 'p': 1, 'e': 2, 'n': 2, 'B': 3, '0': 3, 'u': 4, 'U': 5}
	for first := range replies {
		for second := range replies {
			want := first
			if rank[second] < rank[first] {
				want = second
			}
			if want == '0' {
				want = 'B'
			}
			synctest.Test(t, func(t *testing.T) {
				o1, e1 := replies[first]()
				o2, e2 := replies[second]()
				race := sayso.Race(after(1*time.Second, o1, e1), after(2*time.Second, o2, e2))
				if got := said(race.Ask(t.Context(), database())); got != want {
					t.Errorf("%c then %c gives %c, want %c", first, second, got, want)
				}
			})
		}
	}
}

func TestRaceWithdrawsTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		winner := answered(sayso.Answer{QuestionID: "q2", Other: "yes"})
		causes := make(chan error, 2)
		// Takes five seconds to leave: Race must wait for it.
		slow := sayso.ResolverFunc(func(ctx context.Context, _ *sayso.Ask) (*sayso.Outcome, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			<-time.After(5 * time.Second)
			return &sayso.Outcome{Status: sayso.StatusDeclined}, nil
		})
		empty := &sayso.Outcome{Status: sayso.StatusAnswered}
		o, err := sayso.Race(slow, after(time.Second, empty, nil), after(3*time.Second, winner, nil), slow).Ask(t.Context(), database())
		if err != nil || o != winner {
			t.Fatalf("got %+v, %v, want the winner", o, err)
		}
		if took := time.Since(start); took != 8*time.Second {
			t.Errorf("Race took %s, want 8s: the answer at 3s, and 5s for the others to leave", took)
		}
		for range 2 {
			var superseded *sayso.SupersededError
			if err := <-causes; !errors.As(err, &superseded) || superseded.Winner != winner {
				t.Errorf("a loser's cause is %v, want a SupersededError with the winner", err)
			}
			if got, want := superseded.Error(), "sayso: closed elsewhere (answered)"; got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		}
	})
}

func TestRaceEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		never := after(time.Hour, answered(), nil)
		_, err := sayso.Race(never, sayso.Deny("no"), never).Ask(ctx, database())
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sayso.ErrUnreachable) {
			t.Errorf("error is %v, want the context's", err)
		}
	})
}

func TestRaceOfNobody(t *testing.T) {
	t.Parallel()
	for _, race := range []sayso.Resolver{sayso.Race(), sayso.Race(nil), sayso.Race(nil, nil)} {
		if _, err := race.Ask(t.Context(), database()); !errors.Is(err, sayso.ErrUnreachable) {
			t.Errorf("error is %v, want ErrUnreachable", err)
		}
	}
}

func TestFallback(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		replies string // '-' is no resolver
		want    rune
		asked   int
	}{
		{"nobody", "", 'U', 0},
		{"no resolvers", "--", 'U', 0},
		{"first", "aa", 'a', 1},
		{"past the unreachable", "uU-a", 'a', 3},
		{"a refusal is an outcome", "da", 'd', 1},
		{"so is an empty form", "na", 'n', 1},
		{"and one for later", "pa", 'p', 1},
		{"breakage is not unreachable", "UBa", 'B', 2},
		{"nothing is breakage", "0a", 'B', 1},
		{"the last word", "Uu", 'u', 2},
		{"the last error", "uU", 'U', 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			var resolvers []sayso.Resolver
			for _, letter := range tt.replies {
				if letter == '-' {
					resolvers = append(resolvers, nil)
					continue
				}
				resolvers = append(resolvers, sayso.ResolverFunc(func(context.Context, *sayso.Ask) (*sayso.Outcome, error) {
					asked++
					return replies[letter]()
				}))
			}
			got := said(sayso.Fallback(resolvers...).Ask(t.Context(), database()))
			if got != tt.want || asked != tt.asked {
				t.Errorf("got %c after %d, want %c after %d", got, asked, tt.want, tt.asked)
			}
		})
	}
}

func TestEscalate(t *testing.T) {
	t.Parallel()
	var saw []string
	person := sayso.ResolverFunc(func(_ context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
		saw = a.Origin.Agents
		return answered(sayso.Answer{QuestionID: "q2", Other: "x"}), nil
	})
	tests := []struct {
		name  string
		chain []string // as the host told it
		r     sayso.Resolver
		want  []string
	}{
		{"child", nil, sayso.Escalate("researcher", person), []string{"researcher"}},
		{"grandchild", nil, sayso.Escalate("fetcher", sayso.Escalate("researcher", sayso.Escalate("planner", person))), []string{"planner", "researcher", "fetcher"}},
		{"told by the host too", []string{"researcher"}, sayso.Escalate("researcher", person), []string{"researcher"}},
		{"whole chain told by the host", []string{"planner", "researcher"}, sayso.Escalate("researcher", person), []string{"planner", "researcher"}},
		{"passed up from another process", []string{"fetcher"}, sayso.Escalate("researcher", person), []string{"researcher", "fetcher"}},
		{"no parent", nil, sayso.Escalate("researcher", nil, person), []string{"researcher"}},
		{"parent cannot be asked", nil, sayso.Escalate("researcher", sayso.Deny("busy"), person), []string{"researcher"}},
		{"a name to be afraid of", nil, sayso.Escalate("re\x1b[2J", person), []string{"re␛[2J"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := database()
			a.Origin.Agents = slices.Clone(tt.chain)
			if _, err := tt.r.Ask(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(saw, tt.want) {
				t.Errorf("the person saw %q, want %q", saw, tt.want)
			}
			if !slices.Equal(a.Origin.Agents, tt.chain) {
				t.Errorf("the caller's ask was changed: %q", a.Origin.Agents)
			}
		})
	}
}

func TestEscalateToAParentThatAnswers(t *testing.T) {
	t.Parallel()
	parent := answered(sayso.Answer{QuestionID: "q2", Other: "I know that"})
	o, err := sayso.Escalate("researcher", after(0, parent, nil), nil).Ask(t.Context(), database())
	if err != nil || o != parent {
		t.Errorf("got %+v, %v, want what the parent said", o, err)
	}
}

func TestDeny(t *testing.T) {
	t.Parallel()
	o, err := sayso.Deny("sub-agents may not ask").Ask(t.Context(), database())
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != sayso.StatusUnreachable || o.Reason != "sub-agents may not ask" || o.By.Kind != sayso.ByPolicy {
		t.Errorf("got %+v", o)
	}
}
