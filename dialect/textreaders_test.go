package dialect_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/saysohq/sayso"
)

// textWant is what a text reads back as where that is less than the structured
// form holds: line ends of every kind become the usual one, or the parts of one
// answer run together. A nil reading means that the text of this very ask is
// documented as ambiguous.
var textWant = map[string]func(a *sayso.Ask, all []spoken, reply string) reading{
	"codex-async": func(_ *sayso.Ask, all []spoken, reply string) reading { return wantJoined(all, oneEnd(reply)) },
	"copilot": func(_ *sayso.Ask, all []spoken, reply string) reading {
		if slices.ContainsFunc(all[0].labels, func(label string) bool { return strings.Contains(label, "\n") }) {
			return nil
		}
		return wantChoiceAndWords(all, reply)
	},
	"crush": func(_ *sayso.Ask, all []spoken, reply string) reading {
		for i := range all {
			all[i].other, all[i].note = oneEnd(all[i].other), oneEnd(all[i].note)
		}
		return wantCrush(all, oneEnd(reply))
	},
	"qwen": wantQwenText,
}

func wantQwenText(a *sayso.Ask, all []spoken, reply string) reading {
	r := reading{}
	for i, s := range all {
		for j := range all[:i] {
			if strings.HasPrefix(qwenHeader(a, i), qwenHeader(a, j)) || strings.HasPrefix(qwenHeader(a, j), qwenHeader(a, i)) {
				return nil
			}
		}
		value := strings.Join(s.values(), ", ")
		if value == "" && s.note != "" {
			value = "(no option selected)"
		}
		if s.note != "" {
			value += " (note: " + s.note + ")"
		}
		r.put(i, ends.Replace(strings.TrimRightFunc(value, unicode.IsSpace)))
	}
	r.put(-1, oneEnd(reply))
	return r
}

func qwenHeader(a *sayso.Ask, i int) string {
	return "**" + ends.Replace(a.Questions[i].HeaderAsAsked()) + "**: "
}

// paragraphs splits a text into its lines, each with those that are indented
// below it.
func paragraphs(text string) []string {
	var list []string
	for lines := strings.Split(text, "\n"); len(lines) > 0; {
		var p string
		p, lines = paragraph(lines)
		list = append(list, p)
	}
	return list
}

func readWhole(_ *sayso.Ask, text string) reading {
	r := reading{}
	r.put(0, text)
	return r
}

func readRooText(_ *sayso.Ask, text string) reading {
	inside, ok := strings.CutPrefix(text, "<user_message>\n")
	inside, closed := strings.CutSuffix(inside, "\n</user_message>")
	if !ok || !closed || rooEnd.MatchString(inside) {
		return reading{100: "the envelope is broken"}
	}
	return readWhole(nil, readRoo(inside))
}

var rooEnd = regexp.MustCompile(`(?i)</\s*user_message`)

func readCopilotText(_ *sayso.Ask, text string) reading {
	r := reading{}
	if words, ok := strings.CutPrefix(text, "User responded: "); ok {
		r.put(0, "", words)
		return r
	}
	choice, words, _ := strings.Cut(strings.TrimPrefix(text, "User selected: "), "\nUser responded: ")
	r.put(0, choice, words)
	return r
}

func readCodexAsyncText(_ *sayso.Ask, text string) reading {
	r := reading{}
	if list, ok := strings.CutPrefix(text, "<send_user_message_question_reply>\n"); ok {
		list, text, _ = strings.Cut(list, "\n</send_user_message_question_reply>")
		r.codexReplies(decode[[]codexReply](list))
	}
	if text != "" {
		r.reply(paragraphs(strings.TrimPrefix(text, "\n\n")))
	}
	return r
}

// reply reads the one paragraph that a reply to the whole form is.
func (r reading) reply(list []string) {
	words, ok := strings.CutPrefix(list[0], "The user responded: ")
	if !ok || len(list) > 1 {
		r.put(100, list...)
		return
	}
	r.put(-1, words)
}

func readQwenText(a *sayso.Ask, text string) reading {
	r := reading{}
	text, _ = strings.CutPrefix(text, "User has provided the following answers:\n\n")
	list := paragraphs(text)
	next := 0
	for n, p := range list {
		if p == "" || strings.HasPrefix(p, "The user responded: ") {
			r.reply(nonEmpty(list[n:]...))
			break
		}
		for next < len(a.Questions) && !strings.HasPrefix(p, qwenHeader(a, next)) {
			next++
		}
		if next == len(a.Questions) {
			r.put(100, p)
			break
		}
		r.put(next, p[len(qwenHeader(a, next)):])
	}
	return r
}

func readCrushText(a *sayso.Ask, text string) reading {
	r := reading{}
	list := nonEmpty(paragraphs(text)...)
	for i := range a.Questions {
		if len(list) == 0 || !strings.HasPrefix(list[0], "Q"+strconv.Itoa(i+1)+": ") {
			break
		}
		var words, note string
		var ids []string
		for list = list[1:]; len(list) > 0; list = list[1:] {
			p := list[0]
			if v, ok := strings.CutPrefix(p, "User selected: "); ok {
				ids = decode[[]string](v)
			} else if v, ok := strings.CutPrefix(p, "User answered: "); ok {
				ids = []string{v}
			} else if v, ok := strings.CutPrefix(p, "User provided: "); ok {
				words = v
			} else if v, ok := strings.CutPrefix(p, "- "); ok {
				note = v
				if len(ids) == 1 {
					note = strings.TrimPrefix(v, "["+ids[0]+"]: ")
				}
			} else if p != "Notes:" && p != "User skipped this question" {
				break
			}
		}
		r.put(i, append([]string{words, note}, ids...)...)
	}
	if len(list) > 0 {
		r.reply(list)
	}
	return r
}
