package pendingfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
)

// change is something done to a place that has, or has not, an ask in it already.
type change struct {
	name   string
	before func(t testing.TB, p *place)
	do     func(p *place) error
}

var answered = &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "use postgres", At: seedTime}

func changes(t *testing.T) []change {
	ask, none := seedAsk(), func(testing.TB, *place) {}
	asked := func(t testing.TB, p *place) { p.write(t, ask) }
	return []change{
		{"first write", none, func(p *place) error { _, err := p.Write(t.Context(), ask); return err }},
		{"close", asked, func(p *place) error {
			pending, err := p.Read("")
			if err == nil {
				_, err = p.Close(t.Context(), pending, answered)
			}
			return err
		}},
		{"clear", asked, func(p *place) error { return p.Clear(t.Context(), "") }},
		{"open folder", func(t testing.TB, p *place) {
			asked(t, p)
			if err := os.Chmod(p.file(""), 0o755); err != nil {
				t.Fatal(err)
			}
		}, func(p *place) error { return p.Clear(t.Context(), "") }},
	}
}

// content returns what is in the well-known file; nil means nothing.
func (p *place) content(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(p.file(DefaultFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

var errStopped = errors.New("stopped")

// The program stops before its k-th step, for every k, or that one step fails.
// What is on the disk is what was there or what was to be, and the work can be
// done afterwards as if nothing had happened.
func TestStopAtEveryStep(t *testing.T) {
	for _, c := range changes(t) {
		for _, onlyOne := range []bool{false, true} {
			done := false
			for k := 0; !done; k++ {
				p := newPlace(t)
				c.before(t, p)
				old := p.content(t)
				taken := 0
				p.trace = func(step) error {
					taken++
					if taken-1 == k || taken-1 > k && !onlyOne {
						return errStopped
					}
					return nil
				}
				err := c.do(p)
				p.trace = nil
				name := fmt.Sprintf("%s, step %d, onlyOne %v", c.name, k, onlyOne)
				got := p.content(t)
				done = err == nil
				if !done && !errors.Is(err, errStopped) {
					t.Errorf("%s: %v", name, err)
				}
				if onlyOne { // the program went on, and has cleaned up
					if temps, _ := filepath.Glob(p.file(tempPrefix + "*")); len(temps) > 0 {
						t.Errorf("%s: left %v", name, temps)
					}
				}
				if err := c.do(p); err != nil {
					t.Errorf("%s: doing it again: %v", name, err)
				}
				if final := p.content(t); !bytes.Equal(got, old) && !bytes.Equal(got, final) {
					t.Errorf("%s: the file was neither old nor new:\n%s", name, got)
				}
				if k > 50 {
					t.Fatalf("%s: does not end", name)
				}
			}
		}
	}
}

// The power fails after every step. Whatever state a disk may then be in, the file
// is the old or the new one, and the new one once the change has returned. See
// disk for what is assumed of a disk.
func TestPowerCutAtEveryStep(t *testing.T) {
	for _, c := range changes(t) {
		t.Run(c.name, func(t *testing.T) {
			steps, old, final := record(t, c)
			states, bad := powerCuts(steps, old, final)
			for _, b := range bad {
				t.Error(b)
			}
			t.Logf("%d steps, %d states", len(steps), states)
		})
	}
}

// The check above finds it when a step is left out.
func TestPowerCutCheckCanFail(t *testing.T) {
	all := changes(t)
	for _, tt := range []struct {
		change change
		omit   string
	}{
		{all[0], "syncparent"}, {all[0], "sync"}, {all[0], "syncdir"},
		{all[1], "sync"}, {all[1], "syncdir"},
		{all[2], "syncdir"},
	} {
		steps, old, final := record(t, tt.change)
		steps = slices.DeleteFunc(steps, func(s step) bool { return s.op == tt.omit })
		if states, bad := powerCuts(steps, old, final); len(bad) == 0 {
			t.Errorf("%s without %s passes in %d states", tt.change.name, tt.omit, states)
		}
	}
}

func record(t *testing.T, c change) (steps []step, old, final []byte) {
	p := newPlace(t)
	c.before(t, p)
	old = p.content(t)
	p.trace = func(s step) error { steps = append(steps, s); return nil }
	if err := c.do(p); err != nil {
		t.Fatal(err)
	}
	return steps, old, p.content(t)
}

// disk is what a disk is assumed to do: what was synced is there. What was not
// synced may be there or not, each directory entry on its own, and a file may be
// there without its data, with half of it, or with zeros in its place.
type disk struct {
	folder, folderSynced bool
	files                map[string]*content // entries that are sure to be there
	loose                []step              // changes of entries that are not synced
	temp                 map[string]*content // by name, what a not yet renamed file holds
}

type content struct {
	data   []byte
	synced bool
}

// powerCuts counts the states that may be found, and returns those that are
// neither old nor final.
func powerCuts(steps []step, old, final []byte) (states int, bad []string) {
	d := disk{folder: old != nil, folderSynced: old != nil, files: map[string]*content{}, temp: map[string]*content{}}
	if old != nil {
		d.files[DefaultFile] = &content{old, true}
	}
	for k := 0; k <= len(steps); k++ {
		for _, found := range d.states() {
			states++
			isOld, isNew := same(found, old), same(found, final)
			if !isOld && !isNew || k == len(steps) && !isNew {
				bad = append(bad, fmt.Sprintf("after %d of %d steps the file may be %q", k, len(steps), found))
			}
		}
		if k < len(steps) {
			d.take(steps[k])
		}
	}
	return states, bad
}

func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func (d *disk) take(s step) {
	switch s.op {
	case "mkdir":
		d.folder = true
	case "syncparent":
		d.folderSynced = d.folder
	case "create":
		d.temp[s.name] = &content{}
	case "write":
		d.temp[s.name].data, d.temp[s.name].synced = s.data, false
	case "sync":
		d.temp[s.name].synced = true
	case "rename", "remove":
		d.loose = append(d.loose, s)
	case "syncdir":
		for _, s := range d.loose {
			d.apply(d.files, s)
		}
		d.loose = nil
	}
}

func (d *disk) apply(files map[string]*content, s step) {
	if s.op == "remove" {
		delete(files, s.name)
		return
	}
	files[s.to] = d.temp[s.name]
}

// states returns every content that the well-known file may have.
func (d *disk) states() (all [][]byte) {
	if !d.folderSynced {
		all = append(all, nil)
	}
	if !d.folder {
		return all
	}
	for subset := range 1 << len(d.loose) {
		files := maps.Clone(d.files)
		for i, s := range d.loose {
			if subset&(1<<i) != 0 {
				d.apply(files, s)
			}
		}
		switch c := files[DefaultFile]; {
		case c == nil:
			all = append(all, nil)
		case c.synced:
			all = append(all, c.data)
		default:
			all = append(all, c.data, []byte{}, c.data[:len(c.data)/2], make([]byte, len(c.data)))
		}
	}
	return all
}
