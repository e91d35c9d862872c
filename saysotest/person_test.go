package saysotest_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/saysotest"
)

// setup is an ask with one question of each kind.
func setup() *sayso.Ask {
	a := &sayso.Ask{Questions: []sayso.Question{
		{Header: "DB", Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL (Recommended)"}, {Label: "SQLite"}}},
		{Header: "Languages", Text: "Which languages?", Multi: true, Options: []sayso.Option{{Label: "Go"}, {Label: "Rust"}, {Label: "C, of all"}}},
		{Header: "Name", Text: "Its name?"},
	}}
	a.Normalize()
	return a
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	chose := func(id string, options ...string) sayso.Answer {
		return sayso.Answer{QuestionID: id, Selected: options}
	}
	said := func(id, words string) sayso.Answer { return sayso.Answer{QuestionID: id, Other: words} }
	skipped := func(id string) sayso.Answer {
		return sayso.Answer{QuestionID: id, Unanswered: sayso.ReasonSkipped}
	}
	tests := []struct {
		name   string
		person *saysotest.Person
		want   []sayso.Answer
	}{
		{"labels", saysotest.Answers("SQLite", "Go", "api"), []sayso.Answer{chose("q1", "o2"), chose("q2", "o1"), said("q3", "api")}},
		{"labels as asked and as shown", saysotest.Answers("PostgreSQL (Recommended)", "PostgreSQL"), []sayso.Answer{chose("q1", "o1"), said("q2", "PostgreSQL"), skipped("q3")}},
		{"ids and lists", saysotest.Answers("o2", "Rust, o1", ""), []sayso.Answer{chose("q1", "o2"), chose("q2", "o2", "o1"), skipped("q3")}},
		{"a label with a comma", saysotest.Answers("", "C, of all"), []sayso.Answer{skipped("q1"), chose("q2", "o3"), skipped("q3")}},
		{"own words", saysotest.Answers("DynamoDB", "Go, and Zig", "Go, Rust"), []sayso.Answer{said("q1", "DynamoDB"), {QuestionID: "q2", Selected: []string{"o1"}, Other: "and Zig"}, said("q3", "Go, Rust")}},
		{"no list where one is wanted", saysotest.Answers("PostgreSQL, SQLite", "Go, Go"), []sayso.Answer{said("q1", "PostgreSQL, SQLite"), chose("q2", "o1"), skipped("q3")}},
		{"by id, text and header", saysotest.AnswersTo(map[string]string{"q1": "SQLite", "Which languages?": "Rust", "Name": "api"}), []sayso.Answer{chose("q1", "o2"), chose("q2", "o2"), said("q3", "api")}},
		{"others are skipped", saysotest.AnswersTo(map[string]string{"Name": "api", "Colour": "red"}), []sayso.Answer{skipped("q1"), skipped("q2"), said("q3", "api")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := setup()
			o, err := tt.person.Ask(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if o.Status != sayso.StatusAnswered || !reflect.DeepEqual(o.Answers, tt.want) {
				t.Errorf("said %s %+v, want %+v", o.Status, o.Answers, tt.want)
			}
			if o.By.Kind != sayso.ByPerson {
				t.Errorf("signed by %+v, want a person", o.By)
			}
			if err := a.Check(o); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	broken := errors.New("terminal is gone")
	for _, tt := range []struct {
		name   string
		person *saysotest.Person
		status sayso.Status
		err    error
	}{
		{"declines", saysotest.Declines("not now"), sayso.StatusDeclined, nil},
		{"cancels", saysotest.Cancels(), sayso.StatusCancelled, nil},
		{"later", saysotest.Later(), sayso.StatusPending, nil},
		{"says nothing", saysotest.Answers(), sayso.StatusUnanswered, nil},
		{"says blanks", saysotest.Answers(" ", "\u200b"), sayso.StatusUnanswered, nil},
		{"unreachable", saysotest.Unreachable(), "", sayso.ErrUnreachable},
		{"breaks", saysotest.Breaks(broken), "", broken},
		{"no script", &saysotest.Person{}, "", sayso.ErrUnreachable},
	} {
		o, err := tt.person.Ask(t.Context(), setup())
		if !errors.Is(err, tt.err) || err == nil && o.Status != tt.status {
			t.Errorf("%s: got %+v, %v", tt.name, o, err)
		}
	}
}

func TestTakesTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		o, err := saysotest.Answers("SQLite").After(time.Hour).Ask(t.Context(), setup())
		if err != nil || !o.HasAnswer() || time.Since(start) != time.Hour {
			t.Errorf("got %+v, %v after %s", o, err, time.Since(start))
		}
	})
}

func TestIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow, absent := saysotest.Answers("SQLite").After(time.Hour), saysotest.Absent()
		quick := saysotest.Declines("no").After(time.Minute)
		if o, err := sayso.Race(slow, quick, absent).Ask(t.Context(), setup()); err != nil || o.Status != sayso.StatusDeclined {
			t.Fatalf("got %+v, %v", o, err)
		}
		for _, p := range []*saysotest.Person{slow, absent} {
			var superseded *sayso.SupersededError
			if w := p.Withdrawn(); len(w) != 1 || !errors.As(w[0], &superseded) {
				t.Errorf("withdrawn for %v, want to be superseded", w)
			}
		}
		if w := quick.Withdrawn(); len(w) != 0 {
			t.Errorf("the winner was withdrawn: %v", w)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := quick.Ask(ended, setup()); !errors.Is(err, context.Canceled) {
			t.Errorf("asked when it was over: %v", err)
		}
	})
}

func TestLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := saysotest.Answers("SQLite").After(time.Minute).Late()
		start := time.Now()
		a := setup()
		a.AskedAt, a.Deadline = start, start.Add(time.Hour)
		o, err := p.Ask(t.Context(), a)
		if err != nil || !o.HasAnswer() || !time.Now().After(a.Deadline) {
			t.Errorf("got %+v, %v after %s, want an answer after the deadline", o, err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a.AskedAt = time.Time{} // so the deadline cannot be reckoned
		o, err = p.Ask(ctx, a)
		if err != nil || !o.HasAnswer() || ctx.Err() == nil {
			t.Errorf("got %+v, %v, want an answer after the context ended", o, err)
		}
		if w := p.Withdrawn(); len(w) != 0 {
			t.Errorf("somebody who is late does not leave: %v", w)
		}
	})
}

func TestAnswersTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type at struct {
			after time.Duration
			said  string
		}
		replies := func(p *saysotest.Person) (got []at) {
			start := time.Now()
			for o, err := range p.Replies(t.Context(), setup()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, at{time.Since(start), o.Answers[2].Other})
			}
			return got
		}
		double := saysotest.Answers("", "", "api").After(time.Second).Twice()
		if got, want := replies(double), []at{{time.Second, "api"}, {time.Second, "api"}}; !reflect.DeepEqual(got, want) {
			t.Errorf("a double click gives %v, want %v", got, want)
		}
		fickle := saysotest.Answers("", "", "api").Then(saysotest.Answers("", "", "web").After(time.Minute))
		if got, want := replies(fickle), []at{{0, "api"}, {time.Minute, "web"}}; !reflect.DeepEqual(got, want) {
			t.Errorf("a change of mind gives %v, want %v", got, want)
		}
		if n := len(fickle.Asks()); n != 1 {
			t.Errorf("the ask was seen %d times, want once", n)
		}
		for o := range fickle.Replies(t.Context(), setup()) { // as Ask does
			if o.Answers[2].Other != "api" {
				t.Errorf("the first answer is %+v", o)
			}
			break
		}
	})
}

func TestRemembersItsAsks(t *testing.T) {
	t.Parallel()
	p := saysotest.Answers("SQLite")
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := p.Ask(t.Context(), setup()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	asks := p.Asks()
	if len(asks) != 50 {
		t.Fatalf("saw %d asks, want 50", len(asks))
	}
	mine := setup()
	if _, err := p.Ask(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	mine.Questions[0].Text = "changed"
	if last := p.Asks()[50]; last.Questions[0].Text != "Which database?" {
		t.Errorf("what the person saw has changed to %q", last.Questions[0].Text)
	}
}
