package tui

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// answered answers an ask before the inbox is opened, or beside it.
func (r *room) answered(a *sayso.Ask, selected string) {
	r.t.Helper()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{selected}}}}
	if _, err := r.bob().Close(r.t.Context(), r.ticket(a), o); err != nil {
		r.t.Fatal(err)
	}
	r.wait(time.Second)
}

func TestInboxHistory(t *testing.T) {
	atDesk(t, func(r *room) {
		r.answered(databases(), "o2")
		r.slowly("v", "3")
		r.mustSee("History 1", "✓ Answered in the browser by bob:", "not delivered yet")
		r.slowly("enter")
		r.mustSee("● SQLite", "a amend", "y copy")
		r.slowly("y")
		r.mustSee("Copied as Markdown.")
		_, copied, _ := strings.Cut(r.written(), "\x1b]52;c;")
		copied, _, _ = strings.Cut(copied, "\a")
		text, err := base64.StdEncoding.DecodeString(copied)
		if want := "**Which database should the payments service use?**\n\n> SQLite\n\nAnswered in the browser by bob: SQLite"; err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("copied %q, %v", text, err)
		}
		r.slowly("esc", "esc")
		r.mustSee("Waiting for you 1")
	}, databases(), keep())
}

func TestInboxSearches(t *testing.T) {
	atDesk(t, func(r *room) {
		r.answered(databases(), "o2")
		r.slowly("/")
		r.types("sqlite")
		r.wait(time.Second)
		r.mustSee("/ sqlite", "Which database should the", "All 1") // it is closed, and found by its answer
		r.mustNotSee("old logs")
		r.slowly("enter", "enter")
		r.mustSee("● SQLite")
		r.slowly("esc", "esc")
		r.mustSee("Waiting for you 1", "old logs")
		r.slowly("/")
		r.types("nosuchword")
		r.wait(time.Second)
		r.mustSee("Nothing found")
		r.slowly("esc")
		r.mustSee("Waiting for you 1", "old logs")
	}, databases(), keep())
}

func TestInboxFilters(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("f")
		r.mustSee("Filter", "Agent", "Workspace", "Approvals", "Blocking")
		r.slowly("1")
		r.mustSee("claude-code", "crush", "planner")
		r.slowly("1")
		r.mustSee("Agent: claude-code", "Which database")
		r.mustNotSee("old branch")
		r.slowly("enter", "2") // the next ask is one of the filter
		r.mustSee("Sends in", "old logs")
		r.slowly("esc", "f", "1") // the first item clears
		r.mustSee("old branch")
		r.mustNotSee("Agent: claude-code")
		r.slowly("f", "end")
		r.slowly("esc", "esc")
	}, databases(), branches(), keep())
}

func TestInboxGroups(t *testing.T) {
	one, two, three := databases(), keep(), branches()
	one.Origin.Conversation, two.Origin.Conversation, three.Origin.Conversation = "talk", "talk", "other"
	one.AskedAt, three.AskedAt, two.AskedAt = start.Add(-3*time.Hour), start.Add(-2*time.Hour), start.Add(-time.Hour)
	atDesk(t, func(r *room) {
		r.slowly("g")
		r.mustSee("▾ talk · 2", "▾ other · 1")
		s := r.sees()
		if a, b, c := strings.Index(s, "database"), strings.Index(s, "old logs"), strings.Index(s, "old branch"); a > b || b > c {
			t.Errorf("the order is wrong:\n%s", s)
		}
		r.slowly("enter", "1") // goes on within the group
		if r.box.shown == nil || r.box.shown.Ask.ID != "ask_keep" {
			t.Errorf("next is %v", r.box.shown)
		}
	}, one, two, three)
}

func TestInboxLater(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "e")
		r.mustSee("Show this question again", "in 1 hour", "tomorrow 8:00", "Monday 8:00", "when I am back")
		r.slowly("1")
		r.mustSee("old logs", "later:") // the next is open
		r.slowly("esc")
		r.mustSee("Waiting for you 1")
		r.mustNotSee("Which database should")
		r.slowly("v", "2")
		r.mustSee("Later 1", "Which database should", "later:")
		r.slowly("e") // again
		r.mustSee("It waits for you again.")
		r.slowly("esc")
		r.mustSee("Waiting for you 2")
		r.slowly("home", "e", "1")
		r.mustSee("Waiting for you 1")
		r.wait(62 * time.Minute)
		r.mustSee("Waiting for you 2") // its time has come
	}, databases(), keep())
}

func TestInboxDelegates(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("d")
		r.mustSee("Delegate", "1 bob")
		r.slowly("1")
		r.types("you know the numbers")
		r.slowly("enter")
		r.mustSee("Delegated to bob", "Waiting for you 1")
		now := r.ticket(databases())
		if len(now.Passed) != 1 || now.Passed[0].To != "bob" || now.Passed[0].Comment != "you know the numbers" {
			t.Errorf("passed %+v", now.Passed)
		}
		r.slowly("v", "2")
		r.mustSee("Later 1", "Which database should", "Delegated to bob")
	}, databases(), keep())
}

func TestInboxDeclinesWithAReason(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "x")
		r.mustSee("Decline to answer", "Reason. Optional.")
		r.types("ask me again after the release")
		r.slowly("enter")
		r.mustSee("Declined", "Sends in", "old logs")
		r.wait(6 * time.Second)
		if o := r.outcome(databases()); o == nil || o.Status != sayso.StatusDeclined || o.Reason != "ask me again after the release" {
			t.Errorf("outcome %+v", o)
		}
		r.slowly("esc", "x", "esc") // changed the mind
		if now := r.ticket(keep()); !now.Open() || now.Held != nil {
			t.Errorf("declined without a word: %+v", now)
		}
	}, databases(), keep())
}

func TestInboxReuses(t *testing.T) {
	before := databases()
	before.ID = "ask_before"
	atDesk(t, func(r *room) {
		r.answered(before, "o2")
		r.submit(databases())
		r.wait(time.Second)
		r.slowly("enter")
		r.mustSee("Answered before in the browser by bob: SQLite", "r reuse")
		if now := r.ticket(databases()); now.Held != nil {
			t.Fatal("reused without a word")
		}
		r.slowly("r")
		r.mustSee("Sends in")
		if now := r.ticket(databases()); now.Held == nil || now.Held.Outcome.Answers[0].Selected[0] != "o2" {
			t.Errorf("held %+v", now.Held)
		}
	}, before)
}

// What was begun is not replaced by an earlier answer.
func TestInboxReuseAsksFirst(t *testing.T) {
	before := features()
	before.ID = "ask_before"
	atDesk(t, func(r *room) {
		r.answered(before, "o2")
		r.submit(features())
		r.wait(time.Second)
		r.slowly("enter", "1", "r")
		r.mustSee("You have begun to answer.", "1 [x]", "2 [ ]")
		r.slowly("1", "r")
		r.mustSee("Filled in. Look at it, then press enter", "2 [x]")
		if now := r.ticket(features()); now.Held != nil {
			t.Fatal("sent without enter")
		}
		r.slowly("enter")
		if now := r.ticket(features()); now.Held == nil {
			t.Error("not sent")
		}
	}, before)
}

func TestInboxAnswersIdenticalTogether(t *testing.T) {
	var asks []*sayso.Ask
	for _, host := range []string{"codex", "crush", "gemini"} {
		a := databases()
		a.ID, a.Origin.Host = "ask_"+host, host
		asks = append(asks, a)
	}
	atDesk(t, func(r *room) {
		r.mustSee("2 other questions are identical")
		r.slowly("enter")
		r.mustSee("b answer 3 together")
		r.slowly("b")
		r.mustSee("Your answer also goes to 2 identical questions:", "says it is crush", "says it is gemini")
		r.slowly("b", "b", "2")
		r.mustSee("×3", "Sends in", "old logs")
		for _, a := range asks {
			if now := r.ticket(a); now.Held == nil || now.Held.Outcome.Answers[0].Selected[0] != "o2" || now.Held.Outcome.By != ann {
				t.Errorf("%s: %+v", a.ID, now.Held)
			}
		}
		if len(r.box.Records()) != 3 {
			t.Errorf("records %q", r.box.Records())
		}
		r.slowly("u") // one undo for all
		for _, a := range asks {
			if now := r.ticket(a); now.Held != nil {
				t.Errorf("%s is still held", a.ID)
			}
		}
	}, append(asks, keep())...)
}

// Only those that were shown get the answer.
func TestInboxTogetherIsWhatWasShown(t *testing.T) {
	one, two, late := databases(), databases(), databases()
	one.ID, two.ID, late.ID = "ask_1", "ask_2", "ask_late"
	atDesk(t, func(r *room) {
		r.slowly("enter", "b")
		r.submit(late)
		r.wait(time.Second)
		r.slowly("2")
		if now := r.ticket(late); now.Held != nil {
			t.Error("answered what was not shown")
		}
	}, one, two)
}

func TestInboxDecidesApprovalsTogether(t *testing.T) {
	test, build, edit := mayRun(), mayRun(), mayEdit()
	test.ID, build.ID, edit.ID = "may_test", "may_build", "may_edit"
	build.Approval = sayso.NewApproval(sayso.ApproveShell, "Bash", []byte(`{"command":"make MARKBUILD"}`), &sayso.ApprovalOptions{Command: "command"})
	build.Approval.Cwd, build.Approval.Mode, build.Approval.Offers = test.Approval.Cwd, test.Approval.Mode, test.Approval.Offers
	build.Questions = nil
	atDesk(t, func(r *room) {
		r.slowly("b")
		for range r.box.waiting {
			if i := r.box.current(); i.Address.ID != "may_edit" {
				if _, is := r.box.picks.of(*i); !is {
					r.slowly("space")
				}
			} else {
				r.slowly("space")
				r.mustSee("only requests of the same kind")
			}
			r.slowly("down")
		}
		r.slowly("enter")
		r.mustSee("1 of 2", "2 of 2", "MARKBUILD", "Allow all 2", "Deny all 2")
		r.slowly("enter")
		r.mustSee("Choose with")
		r.slowly("1")
		r.mustSee("1 ● Allow all 2")
		r.slowly("end", "enter")
		r.mustSee("✓ Allowed 2 requests · Sends in")
		for _, a := range []*sayso.Ask{test, build} {
			if now := r.ticket(a); now.Held == nil || now.Held.Outcome.Answers[0].Selected[0] != "once" {
				t.Errorf("%s: %+v", a.ID, now.Held)
			}
		}
		if now := r.ticket(edit); now.Held != nil {
			t.Error("the edit was allowed as well")
		}
		if got := r.box.Records(); len(got) != 2 || !strings.Contains(got[0], "make MARKBUILD · Allow") || !strings.Contains(got[1], "npm publish --tag next · Allow") {
			t.Errorf("the records are %q", got)
		}
	}, test, build, edit)
}

func TestInboxAmends(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2")
		r.wait(6 * time.Second)
		if _, err := r.hub.Consume(t.Context(), r.ticket(databases())); err != nil {
			t.Fatal(err)
		}
		r.wait(time.Second)
		r.slowly("v", "3", "enter")
		r.mustSee("delivered")
		r.slowly("a")
		r.mustSee("It gets this one as a late", "2 ● SQLite")
		r.slowly("1")
		if o := r.outcome(databases()); o.Answers[0].Selected[0] != "o2" {
			t.Fatal("a number amends at once")
		}
		r.slowly("enter")
		r.mustSee("Amended. The agent is told.")
		now := r.ticket(databases())
		if now.Outcome.Answers[0].Selected[0] != "o1" || now.History[0].Why != hub.Amended {
			t.Errorf("amended to %+v", now.Outcome)
		}
	}, databases())
}

// A closed question is asked again: the new one opens, and says that it was.
func TestInboxAsksAgain(t *testing.T) {
	atDesk(t, func(r *room) {
		r.answered(databases(), "o2")
		r.slowly("v", "3", "enter")
		r.mustSee("o ask again")
		r.slowly("o")
		r.mustSee("1 ○ PostgreSQL")
		next := databases()
		next.ID += "-2"
		if again := r.ticket(next); again.Again == nil || !again.Open() {
			t.Fatalf("it waits as %+v", again)
		}
		r.slowly("esc", "v", "1")
		r.mustSee("You asked this again")
		if o := r.outcome(databases()); o.Answers[0].Selected[0] != "o2" {
			t.Errorf("the first says %+v", o)
		}
	}, databases())
}

func TestInboxListsKeys(t *testing.T) {
	atDesk(t, func(r *room) {
		r.resizes(200, 40) // no line is broken
		for _, from := range [][]string{nil, {"enter"}} {
			r.slowly(from...)
			r.slowly("?")
			for _, row := range English().KeyRows() {
				r.mustSee(squeeze(strings.Join(row.Keys, " ") + " " + row.Words))
			}
			r.slowly("?")
			r.mustNotSee("show these keys")
		}
	}, databases())
}

// What is amended before the agent has it was not too late, and is not undone to
// something else.
func TestInboxAmendsBeforeDelivery(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2")
		r.wait(6 * time.Second)
		for _, key := range []string{"esc", "q", "ctrl+c"} { // changed the mind
			r.slowly("v", "3", "a", "ctrl+d", key)
			if o := r.outcome(databases()); r.box.dialog != nil || o.Status != sayso.StatusAnswered || o.Answers[0].Selected[0] != "o2" {
				t.Fatalf("%s: %+v\n%s", key, o, r.sees())
			}
		}
		r.slowly("a", "1", "enter")
		r.wait(time.Second)
		r.mustSee("Answered in the terminal by ann: Post")
		r.mustNotSee("too late", "another terminal", "u undo")
		if o := r.outcome(databases()); o.Answers[0].Selected[0] != "o1" {
			t.Errorf("amended to %+v", o)
		}
	}, databases())
}
