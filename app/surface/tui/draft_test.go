package tui

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

// drawer keeps drafts like a hub would.
type drawer struct {
	mu    sync.Mutex
	kept  map[string][]sayso.Answer
	saves int
}

func (d *drawer) options() *Options {
	d.kept = map[string][]sayso.Answer{}
	return &Options{
		LoadDraft: func(a *sayso.Ask) ([]sayso.Answer, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.kept[a.ID], nil
		},
		SaveDraft: func(a *sayso.Ask, answers []sayso.Answer) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.saves++
			d.kept[a.ID] = answers
			return nil
		},
	}
}

func TestDraftsAreKept(t *testing.T) {
	var d drawer
	o := d.options()
	want := []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Other: "an idea", Note: "hm"}}
	dialog(t, o, func(p *person, _ *Model) {
		p.press("0")
		p.types("an idea")
		p.slowly("esc", "2", "n")
		p.types("hm")
		p.wait(time.Second) // a crash comes now
	}, databases())
	if got := d.kept["ask_db"]; !reflect.DeepEqual(got, want) || d.saves > 6 {
		t.Fatalf("kept %+v after %d saves", got, d.saves)
	}
	dialog(t, o, func(p *person, m *Model) {
		p.mustSee("2 ● SQLite", "an idea", "hm")
		p.slowly("down", "ctrl+d", "y")
		if status(m, 0) != sayso.StatusDeclined {
			t.Fatal("not declined")
		}
	}, databases())
	if got := d.kept["ask_db"]; !reflect.DeepEqual(got, want) {
		t.Fatalf("declining dropped the draft: %+v", got)
	}
	dialog(t, o, func(p *person, _ *Model) { p.slowly("2", "enter") }, databases())
	if got, ok := d.kept["ask_db"]; got != nil || !ok {
		t.Errorf("after the answer: %+v", got)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	var d drawer
	dialog(t, d.options(), func(p *person, m *Model) {
		p.types("hunter2")
		p.wait(time.Second)
		p.mustSee("•••••••")
		d.mu.Lock()
		if len(d.kept["ask_name"]) > 0 {
			t.Errorf("kept %v", d.kept)
		}
		d.mu.Unlock()
		p.mustNotSee("hunter2")
		p.slowly("enter")
		if got := answersOf(m, 0)[0].Other; got != "hunter2" {
			t.Errorf("answer %q", got)
		}
		if r := m.Record(0, 80); strings.Contains(r, "hunter2") {
			t.Errorf("record %q", r)
		}
		if strings.Contains(p.raw.String(), "hunter2") {
			t.Error("the secret was on the screen")
		}
		if m.o.History != nil {
			t.Errorf("history %v", m.o.History)
		}
	}, secret())
	if len(d.kept["ask_name"]) > 0 {
		t.Errorf("kept %v", d.kept)
	}
}

// Whoever leaves before an earlier draft has come does not overwrite it.
func TestLeavingEarlyKeepsTheEarlierDraft(t *testing.T) {
	var d drawer
	o := d.options()
	load := o.LoadDraft
	o.LoadDraft = func(a *sayso.Ask) ([]sayso.Answer, error) {
		time.Sleep(time.Minute) // in the bubble
		return load(a)
	}
	o.Guard, o.Later = -1, true
	d.kept["ask_db"] = []sayso.Answer{{QuestionID: "q1", Other: "from before"}}
	dialog(t, o, func(p *person, m *Model) {
		p.press("esc")
		if !m.Done() {
			t.Error("still there")
		}
	}, databases())
	if got := d.kept["ask_db"]; len(got) != 1 || got[0].Other != "from before" {
		t.Errorf("kept %v", got)
	}
}

// Commands run side by side: an older draft must not replace a newer one.
func TestDraftsAreKeptInOrder(t *testing.T) {
	var d drawer
	m := New(one(databases()), d.options())
	f := m.forms[0]
	f.drafts.changes = 1
	f.sheets[0].words.set("old")
	first := m.keep(f)
	f.drafts.changes = 2
	f.sheets[0].words.set("new")
	second := m.keep(f)
	second()
	first()
	if got := d.kept["ask_db"]; len(got) != 1 || got[0].Other != "new" {
		t.Errorf("kept %v", got)
	}
}
