package opencode_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/app/door/opencode"
)

// plugin plays opencode with its plugin: what it sends, and what its API returns.
type plugin struct {
	*hubfake.World
	to  io.WriteCloser
	end chan error

	mu   sync.Mutex
	wire strings.Builder
	http map[string][]string // responses by method and path; the last of them stays
	ids  int
}

// start runs the bridge.
func (p *plugin) start() {
	in, to := io.Pipe()
	from, out := io.Pipe()
	p.to, p.end = to, make(chan error, 1)
	go func() {
		err := opencode.Serve(p.T.Context(), p.Client("opencode"), in, out, &opencode.Options{Options: bridge.Options{Place: func(string) (string, string) { return "shop", "main" }}})
		out.Close()
		p.end <- err
	}()
	go func() {
		lines := bufio.NewScanner(from)
		lines.Buffer(nil, bridge.MaxLine)
		for lines.Scan() {
			p.take(lines.Bytes())
		}
	}()
}

// take answers a request of the bridge.
func (p *plugin) take(line []byte) {
	var m struct {
		ID     int64
		Method string
		Params struct {
			Method, Path string
			Body         json.RawMessage
		}
		Result json.RawMessage
	}
	if err := json.Unmarshal(line, &m); err != nil {
		p.T.Errorf("%v: %s", err, line)
		return
	}
	if m.Method == "" {
		p.note("<- %s", m.Result)
		return
	}
	what := m.Params.Method + " " + m.Params.Path
	reply := "200 null"
	p.mu.Lock()
	if list := p.http[what]; len(list) > 0 {
		reply = list[0]
		if len(list) > 1 {
			p.http[what] = list[1:]
		}
	} else if strings.HasSuffix(what, "/question") || strings.HasSuffix(what, "/permission") {
		reply = "200 []"
	}
	p.mu.Unlock()
	status, body, _ := strings.Cut(reply, " ")
	if m.Params.Method != "GET" {
		p.note("<- %s %s -> %s", what, m.Params.Body, status)
	}
	go fmt.Fprintf(p.to, `{"jsonrpc":"2.0","id":%d,"result":{"status":%s,"body":%s}}`+"\n", m.ID, status, body)
}

func (p *plugin) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(&p.wire, format+"\n", args...)
}

// do plays a line of a script.
func (p *plugin) do(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	command := ""
	if verb == "run" {
		command = "run"
		verb, rest, _ = strings.Cut(rest, " ")
	}
	switch verb {
	case "http": // the next response: METHOD PATH STATUS BODY
		f := strings.SplitN(rest, " ", 3)
		p.mu.Lock()
		p.http[f[0]+" "+f[1]] = append(p.http[f[0]+" "+f[1]], f[2])
		p.mu.Unlock()
		return
	case "event":
		fmt.Fprintf(p.to, `{"jsonrpc":"2.0","method":"event","params":{"directory":"/home/u/shop","command":%q,"event":%s}}`+"\n", command, rest)
	case "prompt":
		p.ids++
		fmt.Fprintf(p.to, `{"jsonrpc":"2.0","id":%d,"method":"prompt","params":{"directory":"/home/u/shop","command":%q,"session":%q}}`+"\n", 1000+p.ids, command, rest)
	case "say": // QUESTION = WORDS
		question, words, _ := strings.Cut(rest, " = ")
		p.Say(question, words)
	case "end": // opencode is killed
		p.to.Close()
		if err := <-p.end; err != nil {
			p.T.Error(err)
		}
	case "start":
		p.start()
	case "hub":
		if rest == "off" {
			p.Stop()
		} else {
			p.Start()
		}
	case "wait":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.T.Fatal(err)
		}
		time.Sleep(d) // in the bubble
	default:
		p.T.Fatalf("the script says %q", line)
	}
	time.Sleep(10 * time.Second) // in the bubble; longer than the bridge looks for a call
	synctest.Wait()
}

// state notes what the hub has.
func (p *plugin) state() {
	for _, t := range p.All() {
		s := "open"
		if o := t.Outcome; o != nil {
			s = string(o.Status)
			if v := t.Ask.Verdict(o); v != nil {
				s += " " + v.Offer.ID
			}
			if o.By.Surface != "" {
				s += " in " + o.By.Surface
			}
			if o.Reason != "" {
				s += ": " + o.Reason
			}
		}
		p.note("hub: %s | %s | %s", t.Ask.Questions[0].Text, t.Ask.Origin.Conversation, s)
	}
}

var rewrite = flag.Lookup("update")

// TestTranscripts plays what opencode tells, and what it is told.
func TestTranscripts(t *testing.T) {
	hubfake.Transcripts(t, rewrite.Value.String() == "true", func(t *testing.T, script string) string {
		p := &plugin{World: hubfake.New(t), http: map[string][]string{}}
		p.start()
		for line := range strings.Lines(script) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !strings.HasPrefix(line, "http") {
				p.note("-> %s", line)
			}
			p.do(line)
		}
		if !p.On() {
			p.Start()
		}
		p.state()
		p.to.Close()
		synctest.Wait()
		time.Sleep(time.Minute)
		return p.wire.String()
	})
}
