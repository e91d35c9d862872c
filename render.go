package sayso

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Meta returns one short line about the ask for a log or a status bar: the first
// 60 characters of the first question.
func Meta(a *Ask) string {
	if a == nil || len(a.Questions) == 0 {
		return "ask_user"
	}
	return firstRunes(SafeLine(a.Questions[0].Text), 60)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Title returns the name of the ask: the first header, or [Meta] without one.
func Title(a *Ask) string {
	if a == nil || len(a.Questions) == 0 {
		return Meta(a)
	}
	return nameOf(&a.Questions[0])
}

// nameOf returns the header of a question, or the beginning of its text.
func nameOf(q *Question) string {
	if q.Header != "" {
		return SafeLine(q.Header)
	}
	return firstRunes(SafeLine(q.Text), 60)
}

// RenderCall returns the questions and their options in short, as plain text for a
// transcript. It is not for asking: bodies and previews are left out, which
// [RenderQuestion] has.
func RenderCall(a *Ask) string {
	var b strings.Builder
	for i := range a.Questions {
		q := &a.Questions[i]
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(SafeText(q.Text))
		for j := range q.Options {
			o := &q.Options[j]
			b.WriteString("\n  - ")
			b.WriteString(SafeLine(o.Label))
			if o.Description != "" {
				b.WriteString(": ")
				b.WriteString(SafeLine(o.Description))
			}
		}
	}
	return b.String()
}

// RenderIntroduction returns what stands before the questions, line by line: who
// asks as far as a hub knows it, who the asker says it is, until when an answer
// counts, what waits behind it, what it needs, whether it is final, and the warning.
// It is for surfaces that show nothing but text.
func RenderIntroduction(a *Ask) string {
	var b strings.Builder
	b.WriteString("Asked by: " + a.Origin.Verified() + "\n")
	if claim := a.Origin.Claim(); claim != "" {
		b.WriteString("Says it is: " + claim + "\n")
	}
	if n := len(a.Questions); n > 1 {
		b.WriteString(strconv.Itoa(n) + " questions\n")
	}
	if !a.Deadline.IsZero() {
		b.WriteString("Answer before " + a.Deadline.Format("2006-01-02 15:04 MST") + "\n")
	}
	if held := a.HeldUp().String(); held != "" {
		b.WriteString("Held up until you answer: " + held + "\n")
	}
	if needs := a.Needs(); needs != "" {
		b.WriteString(needs + "\n")
	}
	if notice := a.Notice(); notice != "" {
		b.WriteString(notice + "\n")
	}
	if warning := a.Warning(); warning != "" {
		b.WriteString(warning + "\n")
	}
	return b.String()
}

// RenderQuestion returns everything that a person is shown of question i, and that
// the digest covers, as plain text: its header, text and body, every option with
// its number, marks, description and preview. It is for surfaces that show nothing
// but text.
//
// Lines of the asker stand where only they can stand, or behind a bar, so that
// none can pass for an option.
func RenderQuestion(a *Ask, i int) string {
	q := &a.Questions[i]
	var b strings.Builder
	heading := ""
	if len(a.Questions) > 1 {
		heading = "Question " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(a.Questions))
	}
	if q.Header != "" {
		if heading != "" {
			heading += ", "
		}
		heading += SafeLine(q.Header)
	}
	if heading != "" {
		b.WriteString(heading + ":\n")
	}
	renderBlock(&b, "", q.Text)
	renderBody(&b, a, q)
	for j := range q.Options {
		renderOption(&b, "  "+strconv.Itoa(j+1)+". ", &q.Options[j])
	}
	return b.String()
}

// RenderForm is [RenderQuestion] for a form in which header and choices have places
// of their own: there is no heading, and the options are listed, without numbers,
// where one of them has more than a label.
func RenderForm(a *Ask, i int) string {
	q := &a.Questions[i]
	var b strings.Builder
	renderBlock(&b, "", q.Text)
	renderBody(&b, a, q)
	if slices.ContainsFunc(q.Options, func(o Option) bool {
		return o.Recommended || o.Danger || o.Description != "" || o.Preview != ""
	}) {
		for j := range q.Options {
			renderOption(&b, "  - ", &q.Options[j])
		}
	}
	return b.String()
}

func renderOption(b *strings.Builder, head string, o *Option) {
	b.WriteString(head + SafeLine(o.Label))
	if o.Recommended {
		b.WriteString(" [recommended]")
	}
	if o.Danger {
		b.WriteString(" [dangerous]")
	}
	b.WriteString("\n")
	renderBlock(b, "     ", o.Description)
	renderBars(b, "     ", o.Preview)
}

// renderBlock writes text of the asker. Its first line stands where only that can
// stand; the others are behind a bar.
func renderBlock(b *strings.Builder, indent, text string) {
	if Blank(text) {
		return
	}
	head, rest, _ := strings.Cut(SafeText(text), "\n")
	b.WriteString(indent + head + "\n")
	renderBars(b, indent, rest)
}

// renderBars writes text of the asker with a bar before each line.
func renderBody(b *strings.Builder, a *Ask, q *Question) {
	if a.Approval != nil {
		a.Approval.renderBody(b)
		return
	}
	renderBars(b, "", q.Body)
}

func renderBars(b *strings.Builder, indent, text string) {
	if Blank(text) {
		return
	}
	for _, l := range strings.Split(SafeText(text), "\n") {
		b.WriteString(strings.TrimRight(indent+"| "+l, " ") + "\n")
	}
}

// Fold breaks the lines of a rendered text that are wider than a terminal, which would
// go on in its first column otherwise, where only lines of ours begin. What is left of a
// line stands behind its indentation and a bar. Columns below 20 mean that the width is
// not known: the text comes back as it is.
func Fold(text string, columns int) string {
	if columns < 20 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = foldLine(l, columns)
	}
	return strings.Join(lines, "\n")
}

func foldLine(line string, columns int) string {
	indent := min(len(line)-len(strings.TrimLeft(line, " ")), columns/4)
	bar := strings.Repeat(" ", indent) + "| "
	var done []string
	for rest := line; ; rest = bar + rest {
		end := fits(rest, columns)
		if end == len(rest) {
			return strings.Join(append(done, rest), "\n")
		}
		next := end
		if space := strings.LastIndexByte(rest[:end+1], ' '); space > end/2 {
			end, next = space, space+1
		}
		done = append(done, strings.TrimRight(rest[:end], " "))
		if rest = rest[next:]; Blank(rest) {
			return strings.Join(done, "\n")
		}
	}
}

// fits returns how many bytes of the line fit into the columns. Marks that are drawn onto
// the letter before them take none, and letters that may be wide take two.
func fits(line string, columns int) int {
	for i, r := range line {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case r < 0x1100:
			columns--
		default:
			columns -= 2
		}
		if columns < 0 {
			return i
		}
	}
	return len(line)
}

// RenderResult returns what became of the ask as plain text for a transcript,
// one line a question. Secrets are not shown.
func RenderResult(a *Ask, o *Outcome) string {
	o = o.Settled()
	if o.Status != StatusAnswered {
		line := "✗ " + Title(a) + ": " + statusWords[o.Status]
		if o.Reason != "" {
			line += " (" + SafeLine(o.Reason) + ")"
		}
		return line
	}
	var lines []string
	if !Blank(o.Reply) {
		lines = append(lines, "✓ "+Title(a)+": "+replyWords(a, o))
	}
	for i := range a.Questions {
		q := &a.Questions[i]
		ans, _ := o.Answer(q.ID)
		if !ans.Answered() {
			if Blank(o.Reply) {
				lines = append(lines, "– "+nameOf(q)+": no answer")
			}
			continue
		}
		lines = append(lines, "✓ "+nameOf(q)+": "+SafeLine(answerWords(q, ans)))
	}
	return strings.Join(lines, "\n")
}

// RenderClosed says who closed the ask on another surface, where and with what, to
// a person who still had the question before them.
func RenderClosed(a *Ask, o *Outcome) string {
	who := ""
	if o.By.ID != "" {
		who = " by " + SafeLine(o.By.ID)
	}
	if o.By.Surface != "" {
		who += " (" + SafeLine(o.By.Surface) + ")"
	}
	return "Closed elsewhere" + who + ". Nothing was sent from here.\n" + RenderResult(a, o)
}

// RenderDanger names the options that are marked as dangerous and says what they
// do, one line each, before they are chosen a second time.
func RenderDanger(dangerous []*Option) string {
	var lines []string
	for _, o := range dangerous {
		line := "“" + SafeLine(o.Label) + "” is marked as dangerous"
		if o.Description != "" {
			line += ": " + SafeLine(o.Description)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// statusWords says in words what a status without answers means.
var statusWords = map[Status]string{
	StatusPending:     "still open",
	StatusUnanswered:  "came back without an answer",
	StatusDeclined:    "the person declined to answer",
	StatusCancelled:   "cancelled before an answer",
	StatusExpired:     "the deadline passed without an answer",
	StatusSuperseded:  "replaced before an answer",
	StatusUnreachable: "nobody could be asked",
}

// answerWords returns the labels, own words and note of an answer in one piece.
func answerWords(q *Question, ans Answer) string {
	if q.Secret {
		return "[secret]"
	}
	var parts []string
	for _, id := range ans.Selected {
		if o := q.Option(id); o != nil {
			parts = append(parts, o.Label)
		}
	}
	if !Blank(ans.Other) {
		parts = append(parts, strconv.Quote(strings.TrimSpace(ans.Other)))
	}
	words := strings.Join(parts, ", ")
	if Blank(ans.Note) {
		return words
	}
	if words == "" {
		words = "no option"
	}
	return words + ", noting " + strconv.Quote(strings.TrimSpace(ans.Note))
}

// replyWords returns the reply to the whole form, unless a part of the form is
// secret: the reply may then be too.
func replyWords(a *Ask, o *Outcome) string {
	for i := range a.Questions {
		if a.Questions[i].Secret {
			return "[secret]"
		}
	}
	return strconv.Quote(strings.TrimSpace(o.Reply))
}

// Summary returns what was asked and what came of it in sentences, for the
// summary that replaces a long conversation. Words of the person are quoted;
// secrets are left out.
func Summary(a *Ask, o *Outcome) string {
	o = o.Settled()
	var sentences []string
	for i := range a.Questions {
		q := &a.Questions[i]
		asked := "User was asked " + strconv.Quote(q.Text)
		ans, _ := o.Answer(q.ID)
		switch {
		case o.Status != StatusAnswered:
			sentences = append(sentences, asked+"; "+statusWords[o.Status]+".")
		case ans.Answered():
			sentences = append(sentences, asked+" and "+summaryVerb(ans)+" "+answerWords(q, ans)+".")
		case Blank(o.Reply):
			sentences = append(sentences, asked+" and gave no answer.")
		default:
			sentences = append(sentences, asked+".")
		}
	}
	if o.Status == StatusAnswered && !Blank(o.Reply) {
		sentences = append(sentences, "User replied "+replyWords(a, o)+".")
	}
	return strings.Join(sentences, " ")
}

func summaryVerb(ans Answer) string {
	if len(ans.Selected) > 0 {
		return "chose"
	}
	return "answered"
}
