package dialect_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// The readers know what the agent's host knows: the questions, and the form.

// decode reads a structured form.
func decode[T any](s string) (v T) {
	if s == "" {
		return v
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		panic(err.Error() + ": " + s)
	}
	return v
}

func perQuestion(pieces func(s spoken) []string) func([]spoken, string) reading {
	return func(all []spoken, reply string) reading {
		r := reading{}
		for i, s := range all {
			r.put(i, pieces(s)...)
		}
		r.put(-1, reply)
		return r
	}
}

var (
	wantJoined   = perQuestion(func(s spoken) []string { return []string{strings.Join(s.values(), ", "), s.note} })
	wantList     = perQuestion(func(s spoken) []string { return append([]string{s.note}, s.values()...) })
	wantParts    = perQuestion(func(s spoken) []string { return append([]string{s.other, s.note}, s.labels...) })
	wantRemarked = perQuestion(func(s spoken) []string { return append([]string{s.remarks()}, s.labels...) })
	wantCursor   = perQuestion(func(s spoken) []string { return append([]string{s.remarks()}, s.ids...) })
	wantCrush    = perQuestion(func(s spoken) []string { return append([]string{s.other, s.note}, s.ids...) })
	wantClaude   = perQuestion(func(s spoken) []string {
		if !s.question.Multi && len(s.labels) > 0 {
			return []string{s.labels[0], s.remarks()}
		}
		return []string{strings.Join(s.values(), ", "), s.note}
	})
	wantCodex = perQuestion(func(s spoken) []string {
		values := slices.Clone(s.labels)
		if s.other != "" && len(values) == 0 && len(s.question.Options) > 0 {
			values = append(values, "None of the above")
		}
		for _, words := range nonEmpty(s.other, s.note) {
			values = append(values, "user_note: "+words)
		}
		return values
	})
	wantPi = perQuestion(func(s spoken) []string {
		if len(s.values()) == 0 {
			s.other, s.note = s.note, ""
		}
		return append([]string{s.other, s.note}, s.labels...)
	})
)

// wantChoiceAndWords is for dialects of one question.
func wantChoiceAndWords(all []spoken, reply string) reading {
	r := reading{}
	r.put(0, strings.Join(all[0].labels, ", "), strings.Join(nonEmpty(all[0].remarks(), reply), "\n"))
	return r
}

func wantLines(all []spoken, reply string) reading {
	r := reading{}
	r.put(0, strings.Join(nonEmpty(strings.Join(all[0].labels, ", "), all[0].remarks(), reply), "\n"))
	return r
}

func readClaude(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers     map[string]string
		Annotations map[string]struct{ Notes string }
		Response    string
	}](s)
	r := reading{}
	for i := range a.Questions {
		text := a.Questions[i].TextAsAsked()
		r.put(i, v.Answers[text], v.Annotations[text].Notes)
		delete(v.Answers, text)
	}
	r.put(-1, v.Response)
	for text := range v.Answers {
		r.put(100, text) // the answer to no question
	}
	return r
}

func readByIndex(a *sayso.Ask, s string) reading {
	return readKeyed(a, s, func(i int) string { return strconv.Itoa(i) })
}

func readByText(a *sayso.Ask, s string) reading {
	return readKeyed(a, s, func(i int) string { return a.Questions[i].TextAsAsked() })
}

func readKeyed(a *sayso.Ask, s string, key func(int) string) reading {
	v := decode[struct {
		Answers, Notes  map[string]string
		Reply, Response string
	}](s)
	r := reading{}
	for i := range a.Questions {
		r.put(i, v.Answers[key(i)], v.Notes[key(i)])
		delete(v.Answers, key(i))
	}
	r.put(-1, v.Reply+v.Response)
	for k := range v.Answers {
		r.put(100, k)
	}
	return r
}

func readCodex(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers map[string]struct{ Answers []string }
		Reply   string
	}](s)
	r := reading{}
	for i := range a.Questions {
		r.put(i, v.Answers[a.Questions[i].ID].Answers...)
	}
	r.put(-1, v.Reply)
	return r
}

type codexReply struct{ QuestionItemID, Question, Answer, Note string }

func (r reading) codexReplies(replies []codexReply) {
	for _, reply := range replies {
		r.put(int(decode[[]any](reply.QuestionItemID)[2].(float64)), reply.Answer, reply.Note)
	}
}

func readCodexAsync(_ *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers []codexReply
		Reply   string
	}](s)
	r := reading{}
	r.codexReplies(v.Answers)
	r.put(-1, v.Reply)
	return r
}

func readOpenCode(_ *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers [][]string
		Notes   []string
		Reply   string
	}](s)
	r := reading{}
	for i, values := range v.Answers {
		note := ""
		if len(v.Notes) > 0 {
			note = v.Notes[i]
		}
		r.put(i, append([]string{note}, values...)...)
	}
	r.put(-1, v.Reply)
	return r
}

func readCopilot(_ *sayso.Ask, s string) reading {
	v := decode[struct {
		Answer, Note string
		WasFreeform  bool
	}](s)
	r := reading{}
	if v.WasFreeform {
		r.put(0, "", v.Answer)
	} else {
		r.put(0, v.Answer, v.Note)
	}
	return r
}

// readAnswer1 reads an answer to the one question there is.
func readAnswer1(_ *sayso.Ask, s string) reading {
	return readWhole(nil, decode[struct{ Answer string }](s).Answer)
}

func readCrush(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Responses []struct {
			RequestID   string   `json:"request_id"`
			SelectedIDs []string `json:"selected_ids"`
			FillInText  string   `json:"fill_in_text"`
			Yes         *bool
			Notes       map[string]string
		}
		Reply string
	}](s)
	r := reading{}
	for _, resp := range v.Responses {
		i := slices.IndexFunc(a.Questions, func(q sayso.Question) bool { return q.ID == resp.RequestID })
		ids, note := resp.SelectedIDs, ""
		if resp.Yes != nil {
			ids = []string{yesOrNo(*resp.Yes)}
		}
		for _, n := range resp.Notes {
			note = n
		}
		r.put(i, append([]string{resp.FillInText, note}, ids...)...)
	}
	r.put(-1, v.Reply)
	return r
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func readCursor(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Outcome struct {
			Outcome, Reason string
			Answers         []struct {
				QuestionID, FreeText string
				SelectedOptionIDs    []string
			}
		}
	}](s)
	r := reading{}
	for _, ans := range v.Outcome.Answers {
		i := slices.IndexFunc(a.Questions, func(q sayso.Question) bool { return q.ID == ans.QuestionID })
		r.put(i, append([]string{ans.FreeText}, ans.SelectedOptionIDs...)...)
	}
	if reply, ok := strings.CutPrefix(v.Outcome.Reason, "The user replied to the form as a whole: "); ok {
		r.put(-1, reply)
	}
	return r
}

func readPi(_ *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers []struct {
			Answer               any
			SelectedOption, Note string
			WasCustom            bool
		}
		Reply string
	}](s)
	r := reading{}
	for i, ans := range v.Answers {
		var labels []string
		switch answer := ans.Answer.(type) {
		case []any:
			for _, label := range answer {
				labels = append(labels, label.(string))
			}
		case string:
			labels = append(nonEmpty(ans.SelectedOption), answer)
			if !ans.WasCustom {
				labels = labels[:1]
			}
		}
		words := ""
		if n := len(labels); ans.WasCustom && n > 0 {
			words, labels = labels[n-1], labels[:n-1]
		}
		r.put(i, append([]string{words, ans.Note}, labels...)...)
	}
	r.put(-1, v.Reply)
	return r
}

func readTextStructured(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers []struct {
			Question, Other, Note string
			Selected              []string
		}
		Reply string
	}](s)
	r := reading{}
	for _, ans := range v.Answers {
		i := slices.IndexFunc(a.Questions, func(q sayso.Question) bool { return q.TextAsAsked() == ans.Question })
		r.put(i, append([]string{ans.Other, ans.Note}, ans.Selected...)...)
	}
	r.put(-1, v.Reply)
	return r
}

func readVSCode(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Answers map[string]struct {
			Selected []string
			FreeText string
		}
		Response string
	}](s)
	r := reading{}
	for i := range a.Questions {
		ans := v.Answers[a.Questions[i].HeaderAsAsked()]
		r.put(i, append([]string{ans.FreeText}, ans.Selected...)...)
	}
	r.put(-1, v.Response)
	return r
}
