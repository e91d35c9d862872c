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
func partsOf(p *sayso.Approval) []part {
	all := make([]part, len(p.Shown))
	for i := range p.Shown {
		s := &p.Shown[i]
		v := partOf(p, i)
		switch {
		case s.Stored:
			head, tail := sayso.Visible(s.Head), sayso.Visible(s.Tail)
			between := piece{"gap", fmt.Sprintf("\n⟨%s in between, not shown here⟩\n", bytesOf(s.Size-len(s.Head)-len(s.Tail)))}
			v.Pieces = append(append(pieces(s.Format, head, false), between), pieces(s.Format, tail, true)...)
		case s.Format == sayso.PartMarkdown:
			v.Markdown = markdown(sayso.Visible(s.Text))
		default:
			v.Pieces = pieces(s.Format, sayso.Visible(s.Text), false)
		}
		all[i] = v
	}
	return all
}

// partOf returns a part without its text.
func partOf(p *sayso.Approval, i int) part {
	s := &p.Shown[i]
	v := part{ID: fmt.Sprint("part", i+1), Name: line(s.Name), About: extent(s)}
	v.Path = s.Name != "Command" && s.Name != "Plan" && s.Name != "Input"
	if f := fileOf(p, s); f != nil {
		v.About = changes(f) + ", " + v.About
	}
	return v
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
func changes(f *sayso.FileChange) string {
	op := map[sayso.FileOp]string{sayso.FileAdd: "new file", sayso.FileUpdate: "changed", sayso.FileDelete: "deleted"}[f.Op]
	return fmt.Sprintf("%s, +%d −%d", op, f.Added, f.Removed)
}

func extent(s *sayso.Part) string {
	if s.Lines == 1 {
		return bytesOf(s.Size) + ", 1 line"
	}
	return fmt.Sprintf("%s, %d lines", bytesOf(s.Size), s.Lines)
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
func paged(p *sayso.Approval, whole map[string]string) (pages [][]part, texts []string) {
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
			v := partOf(p, i)
			n := lineEnd(shown, pageBytes-text.Len())
			if s.Format == sayso.PartMarkdown && n == len(shown) && !rest {
				v.Markdown = markdown(shown)
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
