package pendingfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/saysohq/sayso"
)

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"questions":[{"question":"a","multiSelect":true,"options":[{"label":"x"},"y"],"answer":["x",1,null]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decode(data)
		if err != nil {
			return
		}
		p.File = ".sayso/" + DefaultFile
		if o, err := p.FromFile(); err == nil {
			if err := p.Ask.Check(o); err != nil {
				t.Fatalf("an outcome that does not fit: %v", err)
			}
			if o.Status == sayso.StatusAnswered && !o.HasAnswer() {
				t.Fatalf("answered with nothing: %+v", o)
			}
		}
		// What was read can be written, and reads the same.
		again, err := decode(encode(p))
		if err != nil {
			t.Fatalf("not read back: %v\n%s", err, encode(p))
		}
		if !again.holds(p.Ask) || (again.Outcome == nil) != (p.Outcome == nil) {
			t.Fatalf("read back as another ask:\n%+v\n%+v", p.Ask, again.Ask)
		}
		if first, second := encode(p), encode(again); string(first) != string(second) {
			t.Fatalf("written differently:\n%s\n%s", first, second)
		}
	})
}

func FuzzFromList(f *testing.F) {
	for _, s := range []string{`["SQLite",["Auth","x"],null]`, `[1,true,""]`, `[]`, `{}`, `[["a","SQLite"]]`} {
		f.Add([]byte(s))
	}
	p := &Pending{Ask: formAsk(), File: ".sayso/" + DefaultFile}
	f.Fuzz(func(t *testing.T, list []byte) {
		o, err := p.FromList(list)
		if err != nil {
			return
		}
		if err := p.Ask.Check(o); err != nil {
			t.Fatal(err)
		}
		if (o.Status == sayso.StatusAnswered) != o.HasAnswer() {
			t.Fatalf("%s is %+v", list, o)
		}
	})
}
