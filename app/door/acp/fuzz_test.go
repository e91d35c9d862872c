package acp

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/saysohq/sayso"
)

const claudeForm = `{"mode":"form","sessionId":"s","toolCallId":"t","message":"Please answer the following questions.","requestedSchema":{"type":"object","properties":{
	"question_0":{"type":"string","title":"DB","description":"Which database?","oneOf":[{"const":"PostgreSQL","title":"PostgreSQL"},{"const":"SQLite","title":"SQLite — a file"}]},"question_0_custom":{"type":"string"},
	"question_1":{"type":"array","description":"Which features?","items":{"anyOf":[{"const":"Auth"},{"const":"Search, full text"}]}},"question_1_custom":{"type":"string"},
	"question_2":{"type":"string","title":"Name"}}}}`

// FuzzForm: whatever an agent sends as a form is a valid ask or is not taken; and
// what is said to one that is taken comes back from its reply as it was said.
func FuzzForm(f *testing.F) {
	for _, s := range []string{
		claudeForm, `{"mode":"url","url":"https://example.com"}`, `{"mode":"form"}`,
		`{"mode":"form","message":"m","requestedSchema":{"properties":{"a":{"type":"string"}}}}`,
		`{"mode":"form","message":"m","requestedSchema":{"properties":{"a":{"type":"string","enum":["x","x"]},"a_note":{"type":"string"}},"required":["a"]}}`,
		`{"mode":"form","message":"m","requestedSchema":{"properties":{"a":{"type":"string","enum":["x","None of the above"]},"a__other":{"type":"string"}},"required":["a"]}}`,
		`{"mode":"form","message":"m","requestedSchema":{"properties":{"a":{"type":"number"},"b":{"type":"boolean"}}}}`,
		`{"mode":"form","message":"m","requestedSchema":{"properties":{"":{"type":"string"}," ":{"type":"string"}}}}`,
		`{"mode":"form","message":"m","requestedSchema":{"properties":[]}}`,
	} {
		f.Add([]byte(s), []byte(`{"action":"accept","content":{"question_0":"SQLite","question_1":["Auth"],"question_2":"x"}}`), uint8(3), "words")
	}
	f.Fuzz(func(t *testing.T, params, reply []byte, pick uint8, words string) {
		form, err := readForm(params)
		if err != nil {
			return
		}
		if err := form.ask.Validate(sayso.Limits{}); err != nil {
			t.Fatalf("%s was taken: %v", params, err)
		}
		if o, err := form.read(reply); err == nil {
			if err := form.ask.Check(o); err != nil {
				t.Errorf("%s was read from %s: %v", reply, params, err)
			}
			if o.Status == sayso.StatusAnswered && !o.HasAnswer() {
				t.Errorf("%s was read as an answer", reply)
			}
		}
		said := answerTo(form, pick, words)
		b, err := json.Marshal(form.reply(said))
		if err != nil {
			t.Fatal(err)
		}
		back, err := form.read(b)
		if err != nil || !reflect.DeepEqual(normal(form, back), normal(form, said)) {
			t.Errorf("%+v was said to %s, spelled %s, and read back as %+v, %v", said, params, b, back, err)
		}
	})
}

// answerTo says something to each question.
func answerTo(f *form, pick uint8, words string) *sayso.Outcome {
	words = sayso.SafeLine(words)
	if sayso.Blank(words) {
		words = "words"
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range f.ask.Questions {
		q := &f.ask.Questions[i]
		a := sayso.Answer{QuestionID: q.ID}
		for j, opt := range q.Options {
			if pick>>(j%8)&1 == 1 && (q.Several() || len(a.Selected) == 0) {
				a.Selected = append(a.Selected, opt.ID)
			}
		}
		if len(a.Selected) == 0 || q.Several() {
			a.Other = ownWords(q, words)
		}
		o.Answers = append(o.Answers, a)
	}
	return o
}

// ownWords makes words that name no option of them.
func ownWords(q *sayso.Question, words string) string {
	for {
		if opt, err := q.OptionNamed(words, nil); opt == nil && err == nil {
			return words
		}
		words += "!"
	}
}

// normal is what was said, by the values of the form: options with the same value
// are the same, and so are words alone and the choice that stands for them.
func normal(f *form, o *sayso.Outcome) map[string]raw {
	b, _ := json.Marshal(f.reply(o))
	var e elicited
	json.Unmarshal(b, &e)
	return e.Content
}

// FuzzPermission: a permission request is a valid ask or is not taken, and the
// editor's reply fits it or is not read.
func FuzzPermission(f *testing.F) {
	seed2 := `{"options":[{"kind":"allow_once","name":"Jest - x","optionId":"Jest"},{"optionId":"A, B","name":"A, B"},{"optionId":"__other__"}],"sessionId":"s","toolCall":{"toolCallId":"t","rawInput":{"question":"Which?","header":"H"}},"_meta":{"claudeCode":{"questionType":"askUserQuestion","multiSelect":true}}}`
	qwen := `{"sessionId":"s","toolCall":{"toolCallId":"t","_meta":{"qwenInteractionKind":"user_question","qwenQuestions":[{"question":"Which?","header":"H","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}},"options":[]}`
	for _, p := range []string{seed2, qwen, `{}`, `{"_meta":{"qwenInteractionKind":"user_question"}}`} {
		for _, r := range []string{
			`{"outcome":{"outcome":"selected","optionId":"Jest, A, B","_meta":{"customText":"x","optionIds":["Jest","__other__"]}}}`,
			`{"outcome":{"outcome":"selected","optionId":"proceed_once"},"answers":{"0":"A, B"}}`, `{"outcome":{"outcome":"cancelled"}}`, `{}`,
		} {
			f.Add([]byte(p), []byte(r))
		}
	}
	f.Fuzz(func(t *testing.T, params, reply []byte) {
		q := readQuestion("session/request_permission", params)
		if q == nil {
			return
		}
		if err := q.ask.Validate(sayso.Limits{}); err != nil {
			t.Fatalf("%s was taken: %v", params, err)
		}
		o, err := q.read(reply)
		if err != nil {
			return
		}
		if err := q.ask.Check(o); err != nil {
			t.Errorf("%s was read as %+v: %v", reply, o, err)
		}
		if _, err := json.Marshal(q.reply(o)); err != nil {
			t.Error(err)
		}
	})
}
