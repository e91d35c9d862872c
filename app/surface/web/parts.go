package web

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// part is one piece of what will run, as the page shows it.
type part struct {
	ID, Name, About string
	Path            bool // the name is the asker's
	Pieces          []piece
	Markdown        text // a plan
	Rest            bool // it goes on from the page before
}

// piece is a text of one colour. Its lines begin with what the colour means.
type piece struct{ Class, Text string }

// partsOf returns the parts of an approval: those that are a part of the ask in full,
// of the others the beginning and the end.
func (rd *reader) partsOf(p *sayso.Approval) []part {
	all := make([]part, len(p.Shown))
	for i := range p.Shown {
		s := &p.Shown[i]
		v := rd.partOf(p, i)
		switch {
		case s.Stored:
			head, tail := sayso.Visible(s.Head), sayso.Visible(s.Tail)
			between := piece{"gap", "\n⟨" + rd.Say(rd.Web.InBetween, bytesOf(s.Size-len(s.Head)-len(s.Tail))) + "⟩\n"}
			v.Pieces = append(append(pieces(s.Format, head, false), between), pieces(s.Format, tail, true)...)
		case s.Format == sayso.PartMarkdown:
			v.Markdown = rd.shown(sayso.Visible(s.Text))
		default:
			v.Pieces = pieces(s.Format, sayso.Visible(s.Text), false)
		}
		all[i] = v
	}
	return all
}

// partOf returns a part without its text.
func (rd *reader) partOf(p *sayso.Approval, i int) part {
	s := &p.Shown[i]
	v := part{ID: fmt.Sprint("part", i+1), About: rd.extent(s)}
	if v.Name = rd.ourName(s); v.Name == "" {
		v.Name, v.Path = line(s.Name), true
	}
	if f := fileOf(p, s); f != nil {
		v.About = rd.changes(f) + ", " + v.About
	}
	return v
}

// ourName is what we call a part in the person's language, or "" if its name is a path or
// the word of a tool.
func (rd *reader) ourName(s *sayso.Part) string {
	switch {
	case s.Format == sayso.PartCommand && s.Name == "Command":
		return rd.Web.Command
	case s.Format == sayso.PartMarkdown && s.Name == "Plan":
		return rd.Web.Plan
	case s.Format == sayso.PartJSON && s.Name == "Input":
		return rd.Web.Input
	}
	return ""
}

// fileOf returns the change that a part shows, or nil.
func fileOf(p *sayso.Approval, s *sayso.Part) *sayso.FileChange {
	for i := range p.Files {
		if f := &p.Files[i]; s.Format == sayso.PartDiff && f.Path == s.Name {
			return f
		}
	}
	return nil
}

// changes says what happens to a file.
func (rd *reader) changes(f *sayso.FileChange) string {
	op := map[sayso.FileOp]string{sayso.FileAdd: rd.Web.NewFile, sayso.FileUpdate: rd.Web.ChangedFile, sayso.FileDelete: rd.Web.DeletedFile}[f.Op]
	return fmt.Sprintf("%s, +%d −%d", op, f.Added, f.Removed)
}

func (rd *reader) extent(s *sayso.Part) string {
	return bytesOf(s.Size) + ", " + rd.Count(rd.Web.Lines, s.Lines)
}

// pieces colours the lines of a diff. Where the text goes on in the middle of a line,
// the rest of that line has no colour: it may begin with anything.
func pieces(format sayso.PartFormat, s string, rest bool) []piece {
	if format != sayso.PartDiff {
		return []piece{{"", s}}
	}
	var all []piece
	from, class := 0, "" // of the lines of one colour
	for at := 0; at < len(s); {
		now := classOf(s[at])
		if rest && at == 0 {
			now = ""
		}
		if now != class && at > from {
			all = append(all, piece{class, s[from:at]})
			from = at
		}
		class = now
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return append(all, piece{class, s[from:]})
}

func classOf(c byte) string {
	switch c {
	case '+':
		return "add"
	case '-':
		return "del"
	case '@':
		return "hunk"
	}
	return ""
}

// pageBytes is how much of an approval a page has.
const pageBytes = 256 << 10

// paged divides everything that an approval shows into pages. whole has the texts that
// are stored beside the ask.
func (rd *reader) paged(p *sayso.Approval, whole map[string]string) (pages [][]part, texts []string) {
	var now []part
	var text strings.Builder
	end := func() {
		pages, texts = append(pages, now), append(texts, text.String())
		now = nil
		text.Reset()
	}
	for i := range p.Shown {
		s := &p.Shown[i]
		shown := s.Text
		if s.Stored {
			shown = whole[s.SHA256]
		}
		shown = sayso.Visible(shown)
		for rest, middle := false, false; ; rest = true {
			if text.Len() > pageBytes-1024 {
				end()
			}
			v := rd.partOf(p, i)
			n := lineEnd(shown, pageBytes-text.Len())
			if s.Format == sayso.PartMarkdown && n == len(shown) && !rest {
				v.Markdown = rd.shown(shown)
			} else {
				v.Pieces, v.Rest = pieces(s.Format, shown[:n], middle), rest
			}
			now = append(now, v)
			text.WriteString(shown[:n])
			middle = n > 0 && shown[n-1] != '\n'
			if shown = shown[n:]; shown == "" {
				break
			}
			end()
		}
	}
	end()
	return pages, texts
}

// lineEnd returns where to cut a text so that the first part has so many bytes at most:
// behind a line, if one ends there.
func lineEnd(s string, most int) int {
	if len(s) <= most {
		return len(s)
	}
	if n := strings.LastIndexByte(s[:most], '\n'); n >= 0 {
		return n + 1
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return max(most, 1)
}
