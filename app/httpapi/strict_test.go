package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
)

// smuggled are bodies that two readers understand differently: each hides, after
// the first reading, a second one. %s is a good body without its braces.
var smuggled = map[string]string{
	"a name twice":               `{%s,"digest":"evil"}`,
	"a name twice, escaped":      `{%s,"\u0064igest":"evil"}`,
	"in capitals":                `{%s,"DIGEST":"evil"}`,
	"with a capital":             `{%s,"Digest":"evil"}`,
	"a long s":                   `{%s,"digeſt":"evil"}`,
	"a long s, escaped":          `{%s,"dige\u017ft":"evil"}`,
	"a NUL behind":               `{%s,"digest\u0000":"evil"}`,
	"a zero width space behind":  "{%s,\"digest\u200b\":\"evil\"}",
	"an unknown name":            `{%s,"__proto__":{"digest":"evil"}}`,
	"a second value":             `{%s} {"digest":"evil"}`,
	"a byte order mark":          "\ufeff{%s}",
	"invalid UTF-8":              "{%s,\"surface\":\"\xff\"}",
	"half a surrogate pair":      `{%s,"surface":"\ud800"}`,
	"a NUL":                      `{%s,"surface":"\u0000"}`,
	"a comment":                  `{%s /* "digest":"evil" */}`,
	"a comma too many":           `{%s,}`,
	"a number beyond all bounds": `{%s,"revision":1e999}`,
	"a negative number":          `{%s,"revision":-1}`,
	"half a number":              `{%s,"revision":1.5}`,
	"a number as words":          `{%s,"revision":"1"}`,
	"far too deep":               `{%s,"answers":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`,
	"within an answer, twice":    `{%s,"answers":[{"questionId":"db","other":"a","other":"b"}]}`,
	"within an answer, capital":  `{%s,"answers":[{"questionId":"db","Other":"b"}]}`,
}

// Every body route refuses what two readers could understand differently: S17, S18.
func TestSmuggling(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Open: -1, Rate: -1}})
	matrix := cells()
	for _, rt := range routes() {
		if rt.body == nil {
			continue
		}
		who := map[bool]string{true: "ada", false: "bot"}[strings.Contains(matrix[rt.id].roles, "answerer")]
		if matrix[rt.id].roles == "admin" {
			who = "root"
		}
		for name, payload := range smuggled {
			path, body := matrix[rt.id].prepare(t, w)
			inner := strings.TrimSuffix(strings.TrimPrefix(body, "{"), "}")
			switch {
			case inner == "":
				inner = `"reason":"x"`
			case rt.id == "respondInConversation":
				inner += `,"digest":"x"`
			}
			rec := w.do(who, rt.method, path, strings.ReplaceAll(payload, "%s", inner))
			if rec.Code != http.StatusBadRequest && rec.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s takes %s: %d %s", rt.id, name, rec.Code, rec.Body)
			}
		}
	}
}

// A body is refused quickly however large it claims to be: S19.
func TestOversize(t *testing.T) {
	w := newWorld(t, nil)
	req := w.request("bot", "POST", "/v1/asks", "")
	endless := &countingReader{r: io.LimitReader(zeros{}, 1<<30)}
	req.Body, req.ContentLength = io.NopCloser(endless), 1<<30
	req.Header.Set("Content-Type", "application/json")
	rec := newRecorder(w, req)
	if rec.Code != http.StatusRequestEntityTooLarge || endless.n > 2*maxBody {
		t.Errorf("%d after %d bytes", rec.Code, endless.n)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// FuzzBody compares what the gate lets through as two readers read it: one that
// takes the last of two names and folds their case, and one that takes the first
// and compares exactly.
func FuzzBody(f *testing.F) {
	for _, payload := range smuggled {
		f.Add([]byte(strings.ReplaceAll(payload, "%s", `"digest":"d","answers":[{"questionId":"q","other":"x"}]`)))
	}
	f.Add([]byte(`{"digest":"d","status":"answered","answers":[{"questionId":"q","selected":["a","b"],"note":"n"}],"reply":"r"}`))
	f.Add([]byte(askA1))
	w := newWorld(f, nil)
	bodies := w.bodies()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range []struct {
			id string
			v  func() any
		}{
			{"answerAsk", func() any { return new(api.AnswerRequest) }},
			{"submitAsk", func() any { return new(sayso.Ask) }},
			{"respondInConversation", func() any { return new(api.RespondRequest) }},
			{"callTool", func() any { return new(api.CallRequest) }},
		} {
			got := c.v()
			if sayso.CheckJSON(data) != nil || w.decode(bodies[c.id], data, got) != nil {
				continue
			}
			if !utf8.Valid(data) {
				t.Fatalf("%s takes invalid UTF-8: %q", c.id, data)
			}
			last := c.v()
			if err := json.Unmarshal(data, last); err != nil {
				t.Fatalf("%s takes what package json refuses: %v", c.id, err)
			}
			first := c.v()
			exact, err := firstWins(data)
			if err != nil {
				t.Fatalf("%s takes what has no tokens: %v", c.id, err)
			}
			decoder := json.NewDecoder(bytes.NewReader(exact))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(first); err != nil {
				t.Fatalf("%s takes unknown names: %v", c.id, err)
			}
			if !reflect.DeepEqual(first, last) || !reflect.DeepEqual(got, last) {
				t.Fatalf("%s is read as %+v, %+v and %+v: %q", c.id, got, first, last, data)
			}
		}
	})
}

// firstWins reads JSON as one does who takes the first of two names, and drops
// names with capitals, which no request has in front.
func firstWins(data []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value func() (any, error)
	value = func() (any, error) {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch token {
		case json.Delim('['):
			list := []any{}
			for d.More() {
				v, err := value()
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err := d.Token()
			return list, err
		case json.Delim('{'):
			object := map[string]any{}
			for d.More() {
				name, err := d.Token()
				if err != nil {
					return nil, err
				}
				v, err := value()
				if err != nil {
					return nil, err
				}
				if _, twice := object[name.(string)]; !twice {
					object[name.(string)] = v
				}
			}
			_, err := d.Token()
			return object, err
		}
		return token, nil
	}
	v, err := value()
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
