package sayso_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// FuzzApproval makes approvals of any input: all of it is shown, nothing in it can
// close a fence, and what is shown stays the same wherever it is stored.
func FuzzApproval(f *testing.F) {
	f.Add(`{"command":"echo hi","description":"why","timeout":5}`)
	f.Add(`{"command":"` + strings.Repeat("x", 20_000) + `","a":["b",{"c":null}]}`)
	f.Add("{\"command\":\"```\\n\u202e\\u001b[2J\",\"plan\":\"# a\"}")
	f.Add(`[1,2,"three"]`)
	f.Fuzz(func(t *testing.T, input string) {
		if !utf8.ValidString(input) || sayso.CheckJSON([]byte(input)) != nil {
			return
		}
		p := sayso.NewApproval(sayso.ApproveShell, "Bash", []byte(input), &sayso.ApprovalOptions{Command: "command", Reason: "description", Plan: "plan"})
		p.Offers = offers()
		a := &sayso.Ask{Approval: p}
		a.Normalize()
		if err := a.Validate(sayso.Limits{}); err != nil {
			return // too many members, say: it is not asked
		}
		whole := map[string]string{}
		stored := a.Clone()
		for _, c := range stored.Approval.Contents() {
			if c.Stored {
				whole[c.SHA256] = c.Text
				c.Text = ""
			}
		}
		stored.Normalize()
		if stored.Digest() != a.Digest() {
			t.Error("another digest once it is stored")
		}
		full, err := stored.WithContent(whole)
		if err != nil {
			t.Fatal(err)
		}
		body := full.Questions[0].Body
		for _, text := range texts(t, input) {
			spelled, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			// As text on its lines, or as JSON; either as it is made visible.
			if !strings.Contains(body, strings.TrimSpace(sayso.Visible(text))) && !strings.Contains(body, sayso.Visible(string(spelled))) && !strings.Contains(body, sayso.Visible(rawOf(input, text))) {
				t.Errorf("%q is not shown in\n%s", text, body)
			}
		}
		fence := ""
		for line := range strings.Lines(body) {
			line = strings.TrimSpace(line)
			switch {
			case line == fence && fence != "":
				fence = ""
			case fence == "" && strings.HasPrefix(line, "```"):
				fence = strings.TrimRight(line, "abcdefghijklmnopqrstuvwxyz")
			}
		}
		if fence != "" && len(p.Shown) > 0 && p.Shown[len(p.Shown)-1].Format != sayso.PartMarkdown {
			t.Errorf("a fence stays open in\n%s", body)
		}
	})
}

// texts returns every string in a JSON value.
func texts(t *testing.T, input string) (all []string) {
	var v any
	if err := json.Unmarshal([]byte(input), &v); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return all
}

// rawOf returns a text as the input spells it, where that differs from how Go does.
func rawOf(input, text string) string {
	var raw []string
	d := json.NewDecoder(strings.NewReader(input))
	for {
		from := d.InputOffset()
		tok, err := d.Token()
		if err != nil {
			break
		}
		if s, ok := tok.(string); ok && s == text {
			raw = append(raw, strings.Trim(input[from:d.InputOffset()], " \t\r\n:,"))
		}
	}
	if len(raw) == 0 {
		return text
	}
	return raw[len(raw)-1]
}
