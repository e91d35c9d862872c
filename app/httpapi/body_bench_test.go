package httpapi

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
)

// BenchmarkBody reads the bodies of the requests of a cycle, and a large one: once, by
// their shapes, and as those are read that may be wrong.
func BenchmarkBody(b *testing.B) {
	w := newWorld(b, nil)
	bodies := w.bodies()
	large := strings.Replace(askA1, "Which database?", strings.Repeat("Which database? ", 1000), 1)
	for _, c := range []struct {
		name, id, body string
		v              any
	}{
		{"ask", "submitAsk", askA1, sayso.Ask{}},
		{"answer", "answerAsk", `{"digest":"71796b74af60fca0b99d792a6415d52f6b68b5791a2882fe984e82d7ba07573b","answers":[{"questionId":"db","selected":["pg"]}],"surface":"web"}`, api.AnswerRequest{}},
		{"call", "callTool", fmt.Sprintf(`{"id":"toolu_1","conversation":"c1","arguments":%s}`, toolCall), api.CallRequest{}},
		{"large", "submitAsk", large, sayso.Ask{}},
	} {
		once := bodies[c.id]
		for how, one := range map[string]body{"once": once, "by schema": {schema: once.schema}} {
			b.Run(c.name+"/"+how, func(b *testing.B) {
				b.SetBytes(int64(len(c.body)))
				b.ReportAllocs()
				for b.Loop() {
					if err := w.decode(one, []byte(c.body), reflect.New(reflect.TypeOf(c.v)).Interface()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
