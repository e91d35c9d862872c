package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var copilotFormCalls = calls{
	single: `{"message":"Which database should we use?","requestedSchema":{"properties":{
			"db":{"type":"string","title":"Database","enum":["PostgreSQL (Recommended)","SQLite","MongoDB"]}},"required":["db"]}}`,
	multi: `{"message":"Which features should we include?","requestedSchema":{"properties":{
			"features":{"type":"array","items":{"type":"string","enum":["Auth","Search","Export"]}}}}}`,
	form: `{"message":"A few things before I start.","requestedSchema":{"properties":{
			"db":{"type":"string","title":"Database","description":"Where the orders are kept","oneOf":[
				{"const":"pg","title":"PostgreSQL (Recommended)"},
				{"const":"sqlite","title":"SQLite","description":"a file"}]},
			"features":{"type":"array","title":"Features","items":{"anyOf":[
				{"const":"auth","title":"Auth"},
				{"const":"search","title":"Search"}]}},
			"name":{"type":"string","title":"Name of the service"},
			"ok":{"type":"boolean","title":"Start now"},
			"workers":{"type":"integer"}}}}`,
	invalid: `{"message":"","requestedSchema":{"properties":{"a":{"type":"date"},"b":{"type":"string","oneOf":[{"title":"no const"}]},"c":3}}}`,
}

// wantCopilotForm: own words beside a choice are a remark, unless it takes several.
var wantCopilotForm = perQuestion(func(s spoken) []string {
	switch {
	case s.question.Several() && len(s.values()) > 0:
		return append([]string{s.note}, s.values()...)
	case len(s.labels) > 0:
		return []string{s.remarks(), strings.Join(s.labels, ", ")}
	}
	return []string{s.note, s.other}
})

func readCopilotForm(a *sayso.Ask, s string) reading {
	v := decode[struct {
		Action  string
		Content map[string]any
	}](s)
	free := func(name string) string {
		for a.Question(name) != nil {
			name += "_"
		}
		return name
	}
	str := func(key string) string { s, _ := v.Content[key].(string); return s }
	r := reading{}
	for i := range a.Questions {
		q := &a.Questions[i]
		note := str(free(q.ID + "_note"))
		switch value := v.Content[q.ID].(type) {
		case []any:
			pieces := []string{note}
			for _, one := range value {
				pieces = append(pieces, one.(string))
			}
			r.put(i, pieces...)
		case bool:
			r.put(i, note, map[bool]string{true: "true", false: "false"}[value])
		case string:
			r.put(i, note, value)
		default:
			r.put(i, note, "")
		}
	}
	r.put(-1, str(free("reply")))
	return r
}

func TestCopilotFormExact(t *testing.T) {
	t.Parallel()
	const source = "Copilot CLI 1.0.102"
	testExact(t, dialect.CopilotForm, []exactCase{
		{"one choice", source, copilotFormCalls.single, chose(0, 1), "User responded: SQLite"},
		{"own words", source, copilotFormCalls.single, func(a *sayso.Ask) *sayso.Outcome { return answered(say(a, 0, "Something else")) }, "User responded: Something else"},
		{"several choices", source, copilotFormCalls.multi, func(a *sayso.Ask) *sayso.Outcome { return answered(choose(a, 0, 0, 1)) }, "User responded: Auth, Search"},
		{"a form", source, copilotFormCalls.form, func(a *sayso.Ask) *sayso.Outcome {
			return answered(choose(a, 0, 1), choose(a, 1, 0, 1), say(a, 2, "hi there"), choose(a, 3, 0), say(a, 4, "3"))
		}, "User responded: db=sqlite, features=auth, search, name=hi there, ok=true, workers=3"},
		{"no", source, `{"message":"Go on?","requestedSchema":{"properties":{"ok":{"type":"boolean"}}}}`, chose(0, 1), "User responded: false"},
	})
}

// TestCopilotFormContent holds what Copilot's handler of elicitations is given.
func TestCopilotFormContent(t *testing.T) {
	t.Parallel()
	a := prepare(t, dialect.CopilotForm, copilotFormCalls.form)
	for _, c := range []struct {
		outcome *sayso.Outcome
		want    string
	}{
		{answered(choose(a, 0, 0), choose(a, 3, 1)), `{"action":"accept","content":{"db":"pg","ok":false}}`},
		{answered(note(choose(a, 0, 0), "for now")), `{"action":"accept","content":{"db":"pg","db_note":"for now"}}`},
		{&sayso.Outcome{Status: sayso.StatusAnswered, Reply: "not yet", By: person}, `{"action":"accept","content":{"reply":"not yet"}}`},
		{closed(sayso.StatusDeclined, person, "")(a), `{"action":"decline"}`},
		{closed(sayso.StatusCancelled, person, "")(a), `{"action":"cancel"}`},
		{closed(sayso.StatusCancelled, sayso.Responder{Kind: sayso.ByAsker}, "")(a), ``},
		{closed(sayso.StatusExpired, sayso.Responder{}, "")(a), ``},
	} {
		r, err := dialect.CopilotForm.Format(a, c.outcome)
		if err != nil || string(r.Structured) != c.want {
			t.Errorf("%s, want %s, %v", r.Structured, c.want, err)
		}
	}
}

// TestCopilotFormRead holds what people see of a form.
func TestCopilotFormRead(t *testing.T) {
	t.Parallel()
	a := prepare(t, dialect.CopilotForm, copilotFormCalls.form)
	got, err := json.Marshal(a.Questions[0])
	const want = `{"id":"db","text":"Database","body":"A few things before I start.\n\nWhere the orders are kept","kind":"choice","options":[{"id":"o1","label":"PostgreSQL","recommended":true,"rawLabel":"pg"},{"id":"o2","label":"SQLite","description":"a file","rawLabel":"sqlite"}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if q := a.Questions[4]; q.Text != "workers" || q.Kind != sayso.KindText {
		t.Errorf("%+v", q)
	}
}
