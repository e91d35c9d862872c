package copilot

import (
	"encoding/json"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// FuzzPermission: whatever Copilot wants, what it does not tell cannot be allowed, and
// every offer has a decision.
func FuzzPermission(f *testing.F) {
	for _, request := range []string{
		`{"kind":"shell","fullCommandText":"touch a","canOfferSessionApproval":true,"commandSegments":[{}]}`,
		`{"kind":"write","fileName":"/a","fileEdits":[{"before":{"path":"/a","content":"x"},"after":{"path":"/b","content":"y"}},{}]}`,
		`{"kind":"mcp","serverName":"db","toolName":"drop","args":[1]}`, `{"kind":"memory","fact":{"a":null}}`, `{"kind":"?"}`,
	} {
		f.Add(`{"requestId":"r1","permissionRequest":` + request + `,"promptRequest":{"kind":"commands","commandIdentifiers":["touch"]}}`)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if sayso.CheckJSON([]byte(data)) != nil {
			return
		}
		r, ok := readPermission([]byte(data))
		if !ok {
			return
		}
		p := r.approval("/home/ann", nil)
		for _, o := range r.offers() {
			if o.decision.Kind == "" || o.Act == sayso.ActAllow == (o.decision.Kind == "reject") {
				t.Errorf("%+v", o)
			}
			if len(p.Missing) == 0 || o.Act == sayso.ActDeny {
				p.Offers = append(p.Offers, o.Offer)
			}
		}
		if len(p.Shown) == 0 {
			t.Error("nothing is shown")
		}
		a := &sayso.Ask{Approval: p, Dialect: sayso.ApprovalDialect}
		a.Normalize()
		a.Validate(sayso.Limits{})
	})
}

// FuzzContent: what was entered into a form fits its ask.
func FuzzContent(f *testing.F) {
	a, refusal := (&sayso.Tool{Dialect: dialect.CopilotForm}).Prepare(sayso.Call{ID: "call_1", Arguments: json.RawMessage(
		`{"message":"?","requestedSchema":{"properties":{"db":{"type":"string","enum":["a","b"]},"all":{"type":"array","items":{"enum":["a","b"]}},"ok":{"type":"boolean"},"n":{"type":"number"}}}}`)})
	if refusal != nil {
		f.Fatal(refusal.Text)
	}
	f.Add(`{"db":"a","all":["a","c"],"ok":true,"n":1e3}`)
	f.Add(`{"db":["a","b"],"all":"b","ok":"no","n":null}`)
	f.Fuzz(func(t *testing.T, data string) {
		var content map[string]any
		if sayso.CheckJSON([]byte(data)) != nil || json.Unmarshal([]byte(data), &content) != nil {
			return
		}
		if o := outcome(a, content); o != nil && a.Check(o) != nil {
			t.Errorf("%s is %+v: %v", data, o, a.Check(o))
		}
	})
}
