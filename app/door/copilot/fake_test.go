package copilot_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/copilot"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/hub"
)

// extension is a fake of the extension in Copilot.
type extension struct {
	*hubfake.World
	in      *io.PipeWriter
	told    []string // what Copilot was told, as method and parameters
	results map[int64]string
	refuses bool // Copilot has an answer already
}

// with runs a test with an extension, in a bubble.
func with(t *testing.T, do func(x *extension)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := &extension{World: hubfake.New(t), results: map[int64]string{}}
		in, out := io.Pipe()
		back, replies := io.Pipe()
		x.in = out
		go x.read(back)
		done := make(chan error)
		go func() {
			err := copilot.Serve(t.Context(), x.Client("copilot"), in, replies, &bridge.Options{Host: "copilot"})
			replies.Close()
			in.CloseWithError(err)
			done <- err
		}()
		do(x)
		out.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func (x *extension) read(from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, bridge.MaxLine)
	for lines.Scan() {
		var m struct {
			ID             *int64
			Method         string
			Params, Result json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		if m.Method == "" {
			x.results[*m.ID] = string(m.Result)
			continue
		}
		x.told = append(x.told, m.Method+" "+string(m.Params))
		fmt.Fprintf(x.in, `{"jsonrpc":"2.0","id":%d,"result":{"success":%t}}`+"\n", *m.ID, !x.refuses)
	}
}

// event sends an event of Copilot.
func (x *extension) event(kind, data string) {
	x.T.Helper()
	spelled, err := json.Marshal(kind)
	if err != nil {
		x.T.Fatal(err)
	}
	fmt.Fprintf(x.in, `{"jsonrpc":"2.0","method":"event","params":{"session":"s1","dir":"/home/ann/shop","type":%s,"data":%s}}`+"\n", spelled, strings.NewReplacer("\n", "", "\t", "").Replace(data))
	synctest.Wait()
}

// wantTold checks what Copilot was told.
func (x *extension) wantTold(want ...string) {
	x.T.Helper()
	synctest.Wait()
	if fmt.Sprint(x.told) != fmt.Sprint(want) {
		x.T.Errorf("Copilot was told %q,\n want %q", x.told, want)
	}
}

// only returns the one ask.
func (x *extension) only() *hub.Ticket {
	x.T.Helper()
	synctest.Wait()
	all := x.All()
	if len(all) != 1 {
		x.T.Fatalf("the hub has %d asks, want 1", len(all))
	}
	return all[0]
}

// decide chooses an offer.
func (x *extension) decide(offer, words string) {
	x.T.Helper()
	c := x.Client("web")
	defer c.Close()
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}, Note: words}}}
	if _, err := c.Answer(x.T.Context(), x.only(), o); err != nil {
		x.T.Fatal(err)
	}
	synctest.Wait()
}
