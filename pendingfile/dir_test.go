package pendingfile

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/saysohq/sayso"
)

func TestAsksDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	all := asks(3)
	var files []string
	for _, a := range all {
		files = append(files, p.write(t, a).File)
	}
	want := []string{".sayso/pending-questions.json", ".sayso/" + ownFile(all[1].ID), ".sayso/" + ownFile(all[2].ID)}
	if !slices.Equal(files, want) {
		t.Errorf("the files are %q, want %q", files, want)
	}
	p.edit(t, DefaultFile, "null", `"SQLite"`)
	if again := p.write(t, all[0]); again.given[0].Str() != "SQLite" {
		t.Error("writing the ask again has lost an answer")
	}
	// An ask stays where it is when the first name becomes free.
	if err := p.Clear(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if again := p.write(t, all[1]); again.File != files[1] {
		t.Errorf("the ask has moved to %s", again.File)
	}
	listed, err := p.List()
	if err != nil || len(listed) != 2 {
		t.Errorf("List says %v, %v", listed, err)
	}
	if err := p.ClearAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(p.file("")); len(left) != 1 || left[0].Name() != ".gitignore" {
		t.Errorf("ClearAll has left %v", left)
	}
}

// Git leaves the folder alone, unless somebody has said otherwise.
func TestGitIgnore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, seedAsk())
	if got, err := os.ReadFile(p.file(".gitignore")); err != nil || string(got) != "*\n" {
		t.Errorf("it holds %q, %v", got, err)
	}
	if err := os.WriteFile(p.file(".gitignore"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, formAsk())
	if got, err := os.ReadFile(p.file(".gitignore")); err != nil || string(got) != "mine" {
		t.Errorf("it was overwritten with %q, %v", got, err)
	}
}

// Other things under the well-known name are left alone, in whatever state.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a := seedAsk()
	p.write(t, a)
	if err := os.WriteFile(p.file(DefaultFile), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.write(t, a).File; got != ".sayso/"+ownFile(a.ID) {
		t.Errorf("written to %s", got)
	}
	if data, _ := os.ReadFile(p.file(DefaultFile)); string(data) != "mine" {
		t.Errorf("what was there is now %q", data)
	}
	// An ask that its caller named the same, and a file that an editor broke.
	b := seedAsk()
	b.Questions[1].Text = "Another?"
	if _, err := p.Write(t.Context(), b); !errors.Is(err, ErrTaken) {
		t.Errorf("other questions under the same id: %v", err)
	}
	p.edit(t, ownFile(a.ID), "{", "")
	if _, err := p.Write(t.Context(), a); !errors.Is(err, sayso.ErrMalformed) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := p.List(); !errors.Is(err, sayso.ErrMalformed) {
		t.Errorf("List over a broken file: %v", err)
	}
}

func TestCloseOnce(t *testing.T) {
	t.Parallel()
	for _, o := range outcomes() {
		t.Run(string(o.Status), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			pending := p.write(t, seedAsk())
			if !o.Status.Final() {
				if _, err := p.Close(t.Context(), pending, o); err == nil {
					t.Error("a pending outcome has closed the ask")
				}
				return
			}
			for range 2 { // the second time it is replayed
				closed, err := p.Close(t.Context(), pending, o)
				if err != nil || !reflect.DeepEqual(closed.Outcome, o) {
					t.Fatalf("closed as %+v, %v; want %+v", closed, err, o)
				}
			}
			var closed *ClosedError
			_, err := p.Close(t.Context(), pending, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "other"})
			if !errors.As(err, &closed) || !reflect.DeepEqual(closed.Winner, o) {
				t.Errorf("another close: %v", err)
			}
			// It is there for whoever asks next, and for another process.
			if got, err := p.Ask(t.Context(), seedAsk()); err != nil || !reflect.DeepEqual(got, o) {
				t.Errorf("asked again: %+v, %v; want %+v", got, err, o)
			}
			read, err := placeAt(t, p.path).Read("")
			if err != nil || !reflect.DeepEqual(read.Outcome, o) || !reflect.DeepEqual(read.Ask, pending.Ask) {
				t.Errorf("read %+v, %v", read, err)
			}
			data, _ := os.ReadFile(p.file(DefaultFile))
			golden(t, "closed-"+string(o.Status)+".golden.json", data)
		})
	}
}

// outcomes returns one of every kind.
func outcomes() []*sayso.Outcome {
	at := seedTime.Add(time.Minute)
	by := sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}
	return []*sayso.Outcome{
		{Status: sayso.StatusPending},
		{Status: sayso.StatusAnswered, By: by, At: at, Answers: []sayso.Answer{
			{QuestionID: "q1", Selected: []string{"o2"}, Other: "in memory \x1b[31m\u202e", Note: "for now"},
			{QuestionID: "q2", Unanswered: sayso.ReasonSkipped},
		}},
		{Status: sayso.StatusUnanswered, By: by, At: at},
		{Status: sayso.StatusDeclined, By: by, At: at, Reason: "none of your business"},
		{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}, At: at},
		{Status: sayso.StatusExpired, By: sayso.Responder{Kind: sayso.ByPolicy}, At: at},
		{Status: sayso.StatusSuperseded, By: by, At: at, Reason: "a newer ask"},
		{Status: sayso.StatusUnreachable, By: sayso.Responder{Kind: sayso.ByPolicy}, At: at},
	}
}

// Every ask of every kind of writer is there at the end, each in one file.
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	all := asks(12)
	var group sync.WaitGroup
	for i := range 4 * len(all) {
		p := placeAt(t, path) // as another process would
		group.Go(func() {
			if _, err := p.Write(context.Background(), all[i%len(all)]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	listed, err := placeAt(t, path).List()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	inDefault := 0
	for _, p := range listed {
		seen[p.Ask.ID]++
		if p.isDefault() {
			inDefault++
		}
	}
	for _, a := range all {
		if seen[a.ID] != 1 {
			t.Errorf("%s is in %d files", a.ID, seen[a.ID])
		}
	}
	if inDefault != 1 {
		t.Errorf("%d asks have the well-known name", inDefault)
	}
}

func TestNotThroughAFile(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*sayso.Ask){
		"secret":    func(a *sayso.Ask) { a.Questions[1].Secret = true },
		"by name":   func(a *sayso.Ask) { a.To = []string{"ann"} },
		"assurance": func(a *sayso.Ask) { a.MinAssurance = sayso.AssuranceLogin },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			a := seedAsk()
			change(a)
			if o, err := p.Ask(t.Context(), a); !errors.Is(err, sayso.ErrUnreachable) {
				t.Errorf("got %+v, %v", o, err)
			}
			if _, err := p.Read(""); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file was written: %v", err)
			}
		})
	}
}

// An ask without an id has the same file each time, and asking changes nothing in it.
func TestAskWithoutID(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	a := seedAsk()
	a.ID, a.Origin.ToolCall = "", ""
	before, _ := json.Marshal(a)
	first, second := p.write(t, a), p.write(t, a)
	if first.Ask.ID == "" || first.File != second.File || first.Ask.ID != second.Ask.ID {
		t.Errorf("first %s in %s, then %s in %s", first.Ask.ID, first.File, second.Ask.ID, second.File)
	}
	if after, _ := json.Marshal(a); string(after) != string(before) {
		t.Error("the ask was changed")
	}
	for _, id := range []string{"UPPER", "a/b", "..", "ünïcode", string(make([]byte, 300))} {
		if name := ownFile(id); !ours(name) || len(name) > 120 {
			t.Errorf("the file of %q is %q", id, name)
		}
	}
}

func TestFileIsPrintable(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;x\a\u009b31m\u202e\u2066\u200b\u2028\U000e0041\x7f"
	p := newPlace(t)
	a := &sayso.Ask{
		ID:        "ask_" + evil,
		Questions: []sayso.Question{{Text: "Delete?" + evil, Header: evil, Options: []sayso.Option{{Label: "Yes" + evil}, {Label: "No"}}}},
		Origin:    sayso.Origin{Conversation: evil, Agents: []string{evil}},
		Metadata:  map[string]any{evil: evil},
	}
	a.Normalize()
	pending := p.write(t, a)
	if _, err := p.Close(t.Context(), pending, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: evil, Answers: []sayso.Answer{{QuestionID: "q1", Other: evil + "!"}}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(p.file(DefaultFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(data) {
		if r != '\n' && !unicode.IsGraphic(r) {
			t.Errorf("the file holds %U", r)
		}
	}
	again, err := p.Read("")
	if err != nil || again.Outcome.Reply != evil || again.Ask.Questions[0].RawText != "Delete?"+evil {
		t.Errorf("read back as %+v, %v", again, err)
	}
}

func TestWriteRefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, metadata := range []map[string]any{{"nul": "\x00"}, {"func": func() {}}} {
		p := newPlace(t)
		a := seedAsk()
		a.Metadata = metadata
		if _, err := p.Write(t.Context(), a); err == nil {
			t.Errorf("%v was written", metadata)
		}
		if _, err := p.Read(""); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file was written: %v", err)
		}
	}
}
