package sayso_test

import (
	"encoding/json"
	"reflect"
	"strconv"
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

func TestCheckLargeJSON(t *testing.T) {
	t.Parallel()
	text, many := `"`+strings.Repeat("x", 2<<20)+`"`, "["+strings.Repeat("1,", 30_000)+"1]"
	for data, want := range map[string]bool{text: true, many: true, `{"a":1,"a":2}`: false, text + " ": true, `"` + strings.Repeat("x", 3<<20) + `"`: false} {
		if err := sayso.CheckLargeJSON([]byte(data), 3<<20); (err == nil) != want {
			t.Errorf("%.40q: %v", data, err)
		}
	}
}

// Whoever walks a value sees what encoding/json decodes.
func TestParseJSON(t *testing.T) {
	const text = ` {"a":[1.50,"x\u00e9",true,null,{}],"b":{"c":"d"}} `
	j, err := sayso.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(j sayso.JSON) any
	walk = func(j sayso.JSON) any {
		switch j.Kind() {
		case "object":
			m := map[string]any{}
			for i := range j.Len() {
				m[j.Name(i)] = walk(j.Index(i))
			}
			return m
		case "array":
			list := []any{}
			for i := range j.Len() {
				list = append(list, walk(j.Index(i)))
			}
			return list
		case "string":
			return j.Str()
		case "boolean":
			return j.Bool()
		case "null":
			return nil
		}
		f, err := strconv.ParseFloat(j.Raw(), 64)
		if err != nil {
			t.Error(err)
		}
		return f
	}
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if got := walk(j); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(j.Any(), want) || j.Raw() != strings.TrimSpace(text) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := sayso.ParseJSON([]byte(`{"a":1,"a":2}`)); err == nil || (sayso.JSON{}).Kind() != "null" {
		t.Error("a key twice was taken")
	}
}
