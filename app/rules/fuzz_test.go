package rules

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/saysohq/sayso/hub"
)

// FuzzRules reads records of rules. Whatever comes out keeps to what rules may be: what
// allows is exact and ends.
func FuzzRules(f *testing.F) {
	tb := readTable(f)
	data, err := json.Marshal(&book{V: bookVersion, Rules: tb.rules})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for i := range tb.rules {
		one, err := json.Marshal(&book{V: bookVersion, Rules: tb.rules[i : i+1]})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(one)
	}
	for _, s := range []string{`{"v":1,"rules":[]}`, `{"v":1,"rules":null}`, `{"v":9}`, `{}`, `null`, `[]`, ``,
		`{"v":1,"rules":[{"id":"a","act":"allow","made":"2026-11-17T12:00:00Z","until":"2026-11-18T12:00:00Z","pattern":{"tool":"*"}}]}`,
		`{"v":1,"rules":[{"id":"a","act":"deny","made":"2026-11-17T12:00:00Z","pattern":{"regexp":"("}}]}`,
	} {
		f.Add([]byte(s))
	}
	call := newCall(newAsk(tb.bases["test"]), noon, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := parse(data)
		if err != nil {
			return
		}
		for i := range b.Rules {
			r := &b.Rules[i]
			if r.Act == hub.RuleAllow && (r.Exact == nil || r.Pattern != nil || r.Until.IsZero() || r.Until.Sub(r.Made) > LongestAllow) {
				t.Errorf("this allows: %+v", r)
			}
			if r.Act != hub.RuleAllow && r.Exact != nil {
				t.Errorf("this is exact: %+v", r)
			}
			Describe(r, noon)
		}
		v, err := judge(b.Rules, call)
		if err != nil {
			t.Fatal(err)
		}
		if v.act == hub.RuleAllow && b.Rules[v.rule].Exact.Input != call.exact.Input {
			t.Errorf("another input is allowed: %+v", b.Rules[v.rule])
		}
		if v.act != "" {
			if d := decision(v, b.Rules, call.ask, noon); d == nil {
				t.Errorf("%+v says nothing", v)
			}
		}
		again, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parse(again)
		if err != nil || len(c.Rules) != len(b.Rules) || len(b.Rules) > 0 && !reflect.DeepEqual(b.Rules[0].Exact, c.Rules[0].Exact) {
			t.Errorf("written and read again: %v\n%s", err, again)
		}
	})
}
