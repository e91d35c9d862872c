package sayso_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for _, good := range []string{`{}`, ` {"a":[1,{"b":"\u00e9"}]} `, `"x"`, `null`} {
		if err := sayso.CheckJSON([]byte(good)); err != nil || !json.Valid([]byte(good)) {
			t.Errorf("%s: %v", good, err)
		}
		var want any
		if got, err := sayso.ReadJSON([]byte(good)); err != nil || json.Unmarshal([]byte(good), &want) != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %v: %v", good, got, err)
		}
	}
	for _, bad := range []string{
		``, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{} {}`, "\ufeff{}", "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"a":"\u0000"}`,
		strings.Repeat("[", 33) + strings.Repeat("]", 33), `"` + strings.Repeat("x", 1<<20) + `"`,
	} {
		if err := sayso.CheckJSON([]byte(bad)); err == nil {
			t.Errorf("%.40q passes", bad)
		}
		if v, err := sayso.ReadJSON([]byte(bad)); err == nil || v != nil {
			t.Errorf("%.40q is read", bad)
		}
	}
}
