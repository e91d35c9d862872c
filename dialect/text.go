package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// Text is the ask_user_question tool of askuserquestion-go (seed 4), with the
// canonical answer text of that package. For the spelling of the Claude Agent SDK
// set Tool.Name to "AskUserQuestion".
//
// Each question that was answered is a block: the question, and under it the
// label that was chosen, or a list of labels with "- " before each, or the
// person's own words. Blocks stand in the order of the questions with an empty
// line between them. Own words can never pass for anything else:
//
//   - Every line of them begins with "> ", unless they are one line that stands
//     alone and looks neither like a mark ("- ", "> ", "Note: ") nor like one of
//     the questions.
//   - A remark on the choice follows with "Note: " before every line.
//   - A question or label of several lines goes on indented by two spaces, and a
//     label that begins like a mark is written as a list of one.
//
// So the text reads back in one way only, with two exceptions that mean no harm:
// for a single choice, own words that are exactly a label read as that label, and
// line ends of every kind read as the usual one.
//
// The package lets own words override a choice made beside them. Here both are
// told, as both were said.
var Text sayso.Dialect = text{&textTool}

type text struct{ *tool }

func (text) Format(a *sayso.Ask, o *sayso.Outcome) (*sayso.Result, error) {
	o = settle(a, o)
	r := &sayso.Result{}
	var all []said
	switch {
	case o.Status == sayso.StatusAnswered:
		all = saidTo(a, o.Answers)
		r.Text = textBlocks(all, unlessBlank(o.Reply))
	case textDismissed(o) && byPerson(o):
		r.Text = "[cancelled by user]"
		if reason := unlessBlank(o.Reason); reason != "" {
			r.Text = textMarked(r.Text, markWords, reason)
		}
	default:
		r.Text = noAnswer(a, o)
		r.IsError = o.Status == sayso.StatusUnreachable
	}
	r.Structured = textStructured(o, all)
	return r, nil
}

// The marks that begin a line, and what they say about the rest of it.
const (
	markLabel = "-"
	markWords = ">"
	markNote  = "Note:"
	indent    = "  " // the line above goes on
)

func textBlocks(all []said, reply string) string {
	var blocks []string
	for _, s := range all {
		if s.answered {
			blocks = append(blocks, textBlock(all, s))
		}
	}
	if reply != "" {
		blocks = append(blocks, textMarked("[reply to all of it]", markWords, reply))
	}
	return strings.Join(blocks, "\n\n")
}

func textBlock(all []said, s said) string {
	block := indented(s.TextAsAsked())
	for _, label := range s.labels {
		label = indented(label)
		if s.Several() || len(s.labels) > 1 || marked(label) {
			label = markLabel + " " + label
		}
		block += "\n" + label
	}
	if s.other != "" {
		if len(s.labels) == 0 && standsAlone(all, s.other) {
			block += "\n" + s.other
		} else {
			block = textMarked(block, markWords, s.other)
		}
	}
	if s.note != "" {
		block = textMarked(block, markNote, s.note)
	}
	return block
}

// standsAlone reports whether own words need no mark.
func standsAlone(all []said, words string) bool {
	if len(textLines(words)) > 1 || marked(words) {
		return false
	}
	return !slices.ContainsFunc(all, func(s said) bool {
		return words == textLines(strings.TrimSpace(s.TextAsAsked()))[0]
	})
}

// marked reports whether s, with the usual line ends, begins like a mark.
func marked(s string) bool {
	for _, mark := range []string{markLabel, markWords, markNote} {
		if rest, ok := strings.CutPrefix(s, mark); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\n') {
			return true
		}
	}
	return false
}

// textMarked puts words under what stands above, with a mark before every line.
func textMarked(above, mark, words string) string {
	lines := textLines(words)
	for i, line := range lines {
		lines[i] = mark
		if line != "" {
			lines[i] += " " + line
		}
	}
	return above + "\n" + strings.Join(lines, "\n")
}

func indented(s string) string { return strings.Join(textLines(strings.TrimSpace(s)), "\n"+indent) }

// textLines splits s wherever some reader sees a new line.
func textLines(s string) []string { return strings.Split(lineEnds.Replace(s), "\n") }

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// textDismissed reports whether the outcome is one of those for which the package
// has its one word: the question was dismissed, or a chat message took its place.
func textDismissed(o *sayso.Outcome) bool {
	switch o.Status {
	case sayso.StatusDeclined, sayso.StatusCancelled, sayso.StatusSuperseded:
		return true
	}
	return false
}

// textStructured is the authority for hosts that do not want to read text: the
// package's Answer type, and what it has no field for.
func textStructured(o *sayso.Outcome, all []said) json.RawMessage {
	var w jsonWriter
	w.open('{').key("status").str(string(o.Status)).key("answers").open('[')
	for _, s := range all {
		if !s.answered {
			continue
		}
		w.open('{').key("question").str(s.TextAsAsked()).key("selected").strs(s.labels)
		if s.other != "" {
			w.key("other").str(s.other)
		}
		if s.note != "" {
			w.key("note").str(s.note)
		}
		w.close('}')
	}
	w.close(']')
	w.reply("reply", o)
	return w.close('}').message()
}

var textLimits = sayso.Limits{
	MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
	NeedOptions: true, NeedHeader: true, UniqueText: true,
}

var textTool = tool{
	spec: sayso.ToolSpec{
		Dialect:     "text",
		Name:        "ask_user_question",
		Description: textDescription,
		Limits:      textLimits,
		Schema: schema.Object(
			schema.Required("questions", schema.Questions(textLimits, "The questions, 1 to 4", schema.Object(
				schema.Required("question", schema.Text("The whole question")),
				schema.Required("header", schema.Text("A very short name, at most 12 characters")),
				schema.Required("options", schema.Options(textLimits, "The choices, 2 to 4, different from each other", schema.Object(
					schema.Required("label", schema.Text("What the person sees and chooses")),
					schema.Required("description", schema.String("What choosing it means")),
				))),
				schema.Required("multiSelect", several()),
			))),
		).Document(),
	},
	names: usualNames(),
}

const textDescription = `Ask the person you work for when you need a decision, a preference or a requirement that only they can give.

- Ask 1 to 4 questions in one call, each with 2 to 4 options.
- Do not offer an "Other" option: the person can always answer in their own words.
- Put the option you would choose first and end its label with "(Recommended)".
- Set multiSelect when several options can hold together.

You read each question back with the answer below it. Lines that begin with "> " are the person's own words.`
