package cli

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// decisionEntry is one answered question as it stands in the file.
type decisionEntry struct {
	key  string // by which the file knows it
	at   time.Time
	text string
}

// mark is what an entry ends with. Text of askers and people cannot have it: their < is
// escaped.
func (e *decisionEntry) mark() string { return "<!-- sayso:" + e.key + " -->" }

// decisionEntries returns the questions of the tickets that have an answer.
func decisionEntries(tickets []*hub.Ticket) (all []decisionEntry) {
	for _, t := range tickets {
		if !sayso.Blank(t.Outcome.Reply) {
			all = append(all, newDecision(t, &t.Ask.Questions[0], sayso.Answer{Other: t.Outcome.Reply}, len(t.Ask.Questions)-1))
			continue
		}
		for i := range t.Ask.Questions {
			q := &t.Ask.Questions[i]
			if ans, ok := t.Outcome.Answer(q.ID); ok && ans.Answered() {
				all = append(all, newDecision(t, q, ans, 0))
			}
		}
	}
	return all
}

func newDecision(t *hub.Ticket, q *sayso.Question, ans sayso.Answer, more int) decisionEntry {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q", t.Address.Asker, t.Address.Conversation, t.Address.ID, q.ID, t.Outcome.At.UTC().Format(time.RFC3339Nano)))
	e := decisionEntry{key: strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10])), at: t.Outcome.At.UTC()}
	var b strings.Builder
	title, whole := titleOf(q.Text)
	fmt.Fprintf(&b, "### %s\n\n", markdownText(title))
	if !whole {
		fmt.Fprintf(&b, "%s\n\n", blockquote(q.Text, ""))
	}
	if more > 0 {
		fmt.Fprintf(&b, "Asked together with %d more.\n\n", more)
	}
	var labels, chosen []string
	for i := range q.Options {
		o := &q.Options[i]
		labels = append(labels, markdownText(o.Label))
		if slices.Contains(ans.Selected, o.ID) {
			chosen = append(chosen, o.Label)
		}
	}
	if !sayso.Blank(ans.Other) {
		chosen = append(chosen, ans.Other)
	}
	item(&b, "Decision", strings.Join(chosen, "\n"))
	item(&b, "Note", ans.Note)
	if ans.Input != "" {
		item(&b, "Changed", "what was to run was changed before it was allowed")
	}
	if len(labels) > 0 {
		fmt.Fprintf(&b, "- **Options:** %s\n", strings.Join(labels, " · "))
	}
	if slices.ContainsFunc(t.History, func(h hub.Entry) bool { return h.Why == hub.Amended }) {
		b.WriteString("- **Replaces** an earlier answer to the same question\n")
	}
	fmt.Fprintf(&b, "- **By:** %s, %s\n", markdownText(decider(t.Outcome.By)), e.at.Format("15:04 UTC"))
	item(&b, "Asked by", strings.Join(strings.Fields(t.Ask.Origin.Verified()), " "))
	item(&b, "Says it is", t.Ask.Origin.Claim())
	reference := "ask " + sayso.SafeLine(t.Ask.ID)
	if t.Address.Conversation != "" {
		reference += ", conversation " + sayso.SafeLine(t.Address.Conversation)
	}
	item(&b, "Reference", reference)
	fmt.Fprintf(&b, "\n%s\n", e.mark())
	e.text = b.String()
	return e
}

// decider says who answered, as far as the hub knows it.
func decider(by sayso.Responder) string {
	switch {
	case by.Kind != sayso.ByPerson:
		return "somebody at " + sayso.SafeLine(by.Surface)
	case by.ID == "":
		return "the only person of this hub"
	}
	return sayso.SafeLine(by.ID)
}

// titleOf returns the beginning of a question for a heading, and whether that is all.
func titleOf(text string) (title string, whole bool) {
	title, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if utf8.RuneCountInString(title) > 120 {
		return string([]rune(title)[:119]) + "…", false
	}
	return title, strings.TrimSpace(rest) == ""
}

// item writes a line of the list, or a quotation below it if there are several lines.
func item(b *strings.Builder, name, text string) {
	text = strings.TrimSpace(sayso.SafeText(text))
	switch {
	case text == "":
	case strings.Contains(text, "\n"):
		fmt.Fprintf(b, "- **%s:**\n\n%s\n\n", name, blockquote(text, "  "))
	default:
		fmt.Fprintf(b, "- **%s:** %s\n", name, markdownText(text))
	}
}

// blockquote returns a text as a quotation, every line of it.
func blockquote(text, indent string) string {
	lines := strings.Split(sayso.SafeText(text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(indent+"> "+atLineStart(markdownText(strings.TrimSpace(l))), " ")
	}
	return strings.Join(lines, "\n")
}

var (
	// Everything that means something within a line of Markdown, of HTML or of GitHub.
	inlineMarks = regexp.MustCompile("[\\\\`*_\\[\\]<>&~|$]")
	links       = regexp.MustCompile(`(?i)\b(https?|ftp|mailto|xmpp)(:)|\bwww(\.)`)
	blockMarks  = regexp.MustCompile(`^([#+=:-]|[0-9]+[.)])`)
)

// markdownText returns a text for one line that reads as it was written and does
// nothing: no heading, list, link, code or HTML.
func markdownText(s string) string {
	s = strings.Join(strings.Fields(sayso.SafeLine(s)), " ")
	s = inlineMarks.ReplaceAllString(s, `\$0`)
	s = strings.ReplaceAll(strings.ReplaceAll(s, "@", `\@`), ` \@ `, " @ ") // an address of mail is a link, too
	return links.ReplaceAllStringFunc(s, func(m string) string { return m[:len(m)-1] + `\` + m[len(m)-1:] })
}

// atLineStart keeps the beginning of a line from being a heading, a list or a rule.
func atLineStart(s string) string {
	return blockMarks.ReplaceAllStringFunc(s, func(m string) string { return m[:len(m)-1] + `\` + m[len(m)-1:] })
}

// datedHeading is a heading that begins the decisions of a day.
var datedHeading = regexp.MustCompile(`(?m)^## (\d{4}-\d{2}-\d{2})[ \t]*$`)

// addDecisions returns the text of a file with the entries that it does not have, each
// at the end of its day. What is there stays as it is.
func addDecisions(before, workspace string, entries []decisionEntry) (after string, added int) {
	windows := strings.Contains(before, "\r\n") && strings.Count(before, "\r\n") == strings.Count(before, "\n")
	if windows {
		before = strings.ReplaceAll(before, "\r\n", "\n")
	}
	if strings.TrimSpace(before) == "" {
		before = fmt.Sprintf("# Decisions\n\nWhat people decided in %s, written by `sayso decisions`. You can edit it: decisions that have their comment here are not added again.\n", markdownText(workspace))
	}
	type day struct{ date, text string }
	var days []day
	at := len(before) // the end of what is above the first day
	heads := datedHeading.FindAllStringSubmatchIndex(before, -1)
	for i := len(heads) - 1; i >= 0; i-- {
		m := heads[i]
		days = slices.Insert(days, 0, day{before[m[2]:m[3]], before[m[0]:at]})
		at = m[0]
	}
	above := before[:at]
	for _, e := range entries {
		if strings.Contains(before, e.mark()) {
			continue
		}
		added++
		date := e.at.Format("2006-01-02")
		i := slices.IndexFunc(days, func(d day) bool { return d.date == date })
		if i < 0 {
			if i = slices.IndexFunc(days, func(d day) bool { return d.date > date }); i < 0 {
				i = len(days)
			}
			days = slices.Insert(days, i, day{date, "## " + date})
		}
		days[i].text = strings.TrimRight(days[i].text, "\n") + "\n\n" + e.text
	}
	after = before
	if added > 0 {
		after = above
		for _, d := range days {
			after = strings.TrimRight(after, "\n") + "\n\n" + d.text
		}
	}
	if windows {
		after = strings.ReplaceAll(after, "\n", "\r\n")
	}
	return after, added
}
