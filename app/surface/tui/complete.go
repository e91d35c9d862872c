package tui

import (
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
)

// maxCompletions bounds what a large folder can put on the screen.
const maxCompletions = 200

// CompletePath returns an [Options.Complete] that looks for paths on disk;
// relative ones begin at dir, and ~/ is the person's home. Names that cannot be
// shown as they are are passed over.
func CompletePath(dir string) func(string) []string {
	return func(path string) []string {
		typed, begin := filepath.Split(path)
		folder := typed
		if rest, ok := strings.CutPrefix(folder, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return nil
			}
			folder = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil
		}
		var found []string
		for _, e := range entries {
			name := e.Name()
			hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(begin, ".")
			if hidden || !strings.HasPrefix(name, begin) || sayso.SafeLine(name) != name {
				continue
			}
			if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.IsDir() {
				name += "/"
			}
			if found = append(found, typed+name); len(found) == maxCompletions {
				break
			}
		}
		return found
	}
}

// path returns the last word typed, if it looks like the beginning of a path.
// In a question that speaks of a path, every word does.
func (s *sheet) path() (string, bool) {
	v := s.words.value()
	if s.q.Secret || v == "" {
		return "", false
	}
	word := v[strings.LastIndexAny(v, " \n\t")+1:]
	if strings.ContainsRune(word, '/') || strings.HasPrefix(word, "~") || strings.HasPrefix(word, ".") {
		return word, true
	}
	return word, s.free() && word != "" && asksForPath(s.q)
}

func asksForPath(q *sayso.Question) bool {
	words := strings.FieldsFunc(strings.ToLower(q.Header+" "+q.Text), func(r rune) bool {
		return (r < 'a' || r > 'z') && r < 0x80
	})
	for _, w := range words {
		switch w {
		case "path", "paths", "file", "files", "filename", "folder", "directory", "pfad", "datei", "ordner", "verzeichnis":
			return true
		}
	}
	return false
}

type completedMsg struct {
	form  *form
	sheet *sheet
	path  string
	found []string
}

func (m *Model) complete(f *form, s *sheet) tea.Cmd {
	path, _ := s.path()
	return func() tea.Msg { return completedMsg{f, s, path, m.o.Complete(path)} }
}

// completed types on what all the paths have in common. Nothing is typed if the
// person has gone on typing meanwhile.
func (m *Model) completed(msg completedMsg) tea.Cmd {
	s, w := msg.sheet, m.o.Words
	if now, ok := s.path(); !ok || now != msg.path || s != msg.form.sheet() || s.focus != onWords || !m.frame.takes() {
		return nil
	}
	if len(msg.found) == 0 {
		msg.form.notice = w.NoSuchPath
		return nil
	}
	before := msg.form.draft()
	common := msg.found[0]
	for _, p := range msg.found[1:] {
		for !strings.HasPrefix(p, common) {
			r := []rune(common)
			common = string(r[:len(r)-1])
		}
	}
	if len(common) > len(msg.path) {
		s.words.set(strings.TrimSuffix(s.words.value(), msg.path) + common)
		s.chooseWords()
	} else if len(msg.found) > 1 {
		names := make([]string, 0, 8)
		for _, p := range msg.found[:min(len(msg.found), 8)] {
			names = append(names, sayso.SafeLine(filepath.Base(p)))
		}
		if len(msg.found) > 8 {
			names = append(names, "…")
		}
		msg.form.notice = strings.Join(names, "  ")
	}
	return m.changed(msg.form, before)
}
