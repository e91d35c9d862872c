package claude_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/hub"
)

// began and ended are the events around the run of a tool.
func began(id, tool, input string) map[string]any {
	return event(claude.PreToolUse, map[string]any{"tool_name": tool, "tool_input": json.RawMessage(input), "tool_use_id": id})
}

func ended(id, tool, input string) map[string]any {
	return event(claude.PostToolUse, map[string]any{
		"tool_name": tool, "tool_input": json.RawMessage(input), "tool_use_id": id, "tool_response": map[string]any{"ok": true},
	})
}

func failed(id, tool, input string) map[string]any {
	return event(claude.PostToolUseFailure, map[string]any{
		"tool_name": tool, "tool_input": json.RawMessage(input), "tool_use_id": id, "error": "exit status 1", "is_interrupt": false,
	})
}

// noted is a world with a folder for notes.
func noted(t *testing.T, dir string) *world {
	return newWorld(t, hook.Options{Notes: dir})
}

// open returns the open asks, the oldest first.
func (w *world) open() []*hub.Ticket {
	page, err := w.hub.List(w.t.Context(), "t", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	slices.SortFunc(page.Tickets, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	return page.Tickets
}

// decides closes one of the open asks in the inbox.
func (w *world) decides(i int, offer string) {
	in := w.hub.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, Surface: "phone"})
	if _, err := in.Close(w.t.Context(), w.open()[i], chooses(offer)); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

// want checks what the hub has: how often each outcome, "open" for none.
func (w *world) want(what map[string]int) {
	w.t.Helper()
	synctest.Wait()
	page, err := w.hub.List(w.t.Context(), "t", &hub.Filter{Status: hub.AnyStatus})
	if err != nil {
		w.t.Fatal(err)
	}
	got := map[string]int{}
	for _, t := range page.Tickets {
		switch {
		case t.Open():
			got["open"]++
		case t.Ask.Verdict(t.Outcome) != nil:
			got[t.Ask.Verdict(t.Outcome).Offer.ID+" on "+t.Outcome.By.Surface]++
		default:
			got[string(t.Status())]++
		}
		for _, h := range t.History {
			got[fmt.Sprintf("%s: %s on %s", h.Why, t.Ask.Verdict(h.Outcome).Offer.ID, h.Outcome.By.Surface)]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(what) {
		w.t.Errorf("the hub has %v, want %v", got, what)
	}
}

// says checks what Claude Code is told in the end.
func (c *call) says(behavior string) {
	c.w.t.Helper()
	c.end()
	got := "nothing"
	if strings.Contains(string(c.reply), `"behavior":"`) {
		_, rest, _ := strings.Cut(string(c.reply), `"behavior":"`)
		got, _, _ = strings.Cut(rest, `"`)
	}
	if got != behavior {
		c.w.t.Errorf("Claude Code is told %s, want %s: %s", got, behavior, c.reply)
	}
}

const fetch = `{"url":"http://127.0.0.1/x","prompt":"s"}`

// TestRan plays what the notes of one event do for another.
func TestRan(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(w *world){
		"the call is named": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			if got := w.open()[0].Ask.Origin.ToolCall; got != "toolu_1" {
				w.t.Errorf("the call is %q", got)
			}
			w.decides(0, "allow")
			c.says("allow")
			w.send(ended("toolu_1", "Bash", shell)).end()
			w.want(map[string]int{"allow on phone": 1})
		},
		"an equal call that found no hub": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			if err := hook.Unreached(w.parse(wants("Bash", shell)), &w.opts); err != nil {
				w.t.Fatal(err)
			}
			c := w.send(wants("Bash", shell)) // of a call whose first hook was killed
			if got := w.open()[0].Ask.Origin.ToolCall; got != "" {
				w.t.Errorf("the call is %q, which was asked for before", got)
			}
			w.decides(0, "deny")
			c.says("deny")
		},
		"an equal call after one that found no hub": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			if err := hook.Unreached(w.parse(wants("Bash", shell)), &w.opts); err != nil {
				w.t.Fatal(err)
			}
			w.send(began("toolu_2", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			if got := w.open()[0].Ask.Origin.ToolCall; got != "toolu_2" {
				w.t.Errorf("the call is %q", got)
			}
			w.decides(0, "deny")
			c.says("deny")
		},
		"allowed at the terminal": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.send(ended("toolu_1", "Bash", shell)).end()
			c.says("nothing")
			w.want(map[string]int{"allow on claude-code": 1})
		},
		"allowed at the terminal, for a named person": func(w *world) {
			w.requires = []string{"ann"}
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.send(ended("toolu_1", "Bash", shell)).end()
			c.says("nothing")
			w.want(map[string]int{"superseded": 1})
		},
		"allowed at the terminal, and failed": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.send(failed("toolu_1", "Bash", shell)).end()
			c.says("nothing")
			w.want(map[string]int{"allow on claude-code": 1})
		},
		"allowed at the terminal with another input": func(w *world) {
			w.send(began("toolu_1", "Edit", change)).end()
			c := w.send(wants("Edit", change))
			w.send(ended("toolu_1", "Edit", strings.Replace(change, "TWO", "Two", 1))).end()
			c.says("nothing")
			w.want(map[string]int{"allow on claude-code": 1})
		},
		"another call runs": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.send(began("toolu_2", "Read", fetch)).end()
			w.send(ended("toolu_2", "Read", fetch)).end()
			w.want(map[string]int{"open": 1})
			w.decides(0, "deny")
			c.says("deny")
		},
		"denied elsewhere when it ran": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.decides(0, "deny")
			c.says("deny")
			w.send(ended("toolu_1", "Bash", shell)).end()
			w.want(map[string]int{"deny on phone": 1, "late: allow on claude-code": 1})
		},
		"denied elsewhere, which is told as a failure": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			c := w.send(wants("Bash", shell))
			w.decides(0, "deny")
			c.says("deny")
			w.send(failed("toolu_1", "Bash", shell)).end()
			w.want(map[string]int{"deny on phone": 1})
		},
		"equal calls, one after the other": func(w *world) {
			for _, id := range []string{"toolu_1", "toolu_2", "toolu_3"} {
				w.send(began(id, "Bash", shell)).end()
				c := w.send(wants("Bash", shell))
				if got := w.open()[0].Ask.Origin.ToolCall; got != id {
					w.t.Errorf("the call is %q, not %q", got, id)
				}
				w.send(ended(id, "Bash", shell)).end()
				c.says("nothing")
			}
			w.want(map[string]int{"allow on claude-code": 3})
		},
		"equal calls, denied one after the other": func(w *world) {
			for _, id := range []string{"toolu_1", "toolu_2"} {
				w.send(began(id, "Bash", shell)).end()
				c := w.send(wants("Bash", shell))
				if got := w.open()[0].Ask.Origin.ToolCall; got != id {
					w.t.Errorf("the call is %q, not %q", got, id)
				}
				w.decides(0, "deny")
				c.says("deny")
			}
		},
		"equal calls side by side, in the inbox": func(w *world) {
			calls := w.three()
			w.decides(1, "allow")
			w.send(ended("toolu_3", "WebFetch", fetch)).end() // nobody knows whose call it was
			w.want(map[string]int{"allow on phone": 1, "open": 2})
			w.decides(0, "deny")
			w.decides(0, "allow")
			w.send(ended("toolu_1", "WebFetch", fetch)).end()
			w.want(map[string]int{"allow on phone": 2, "deny on phone": 1})
			calls[0].says("deny")
			calls[1].says("allow")
			calls[2].says("allow")
		},
		"equal calls side by side, at the terminal": func(w *world) {
			calls := w.three()
			w.send(ended("toolu_2", "WebFetch", fetch)).end()
			// Which of them ran is not known: the others go on at the terminal.
			w.want(map[string]int{"allow on claude-code": 1, "cancelled": 2})
			for _, c := range calls {
				c.says("nothing")
			}
		},
		"dismissed": func(w *world) {
			w.send(began("toolu_1", "Bash", shell)).end()
			w.send(wants("Bash", shell)).drop()
			w.want(map[string]int{"cancelled": 1})
		},
		"lost, and found by the next call": func(w *world) {
			w.lost()
			w.send(began("toolu_2", "Bash", `{"command":"ls"}`)).end()
			w.want(map[string]int{"cancelled": 1})
		},
		"lost, and found by the next prompt": func(w *world) {
			w.lost()
			w.send(prompt("go on")).end()
			w.want(map[string]int{"cancelled": 1})
		},
		"lost, and then allowed at the terminal": func(w *world) {
			w.lost()
			w.send(ended("toolu_1", "Bash", shell)).end()
			w.want(map[string]int{"allow on claude-code": 1})
		},
		"a sub-agent goes on while the person prompts": func(w *world) {
			c := w.send(of("general-purpose", wants("Bash", shell)))
			w.send(prompt("and you?")).end()
			w.want(map[string]int{"open": 1})
			w.decides(0, "allow")
			c.says("allow")
		},
		"the same call asks again": func(w *world) {
			for range 2 {
				w.send(began("toolu_1", "Bash", shell)).end()
				c := w.send(wants("Bash", shell))
				w.decides(0, "allow")
				c.says("allow")
			}
			w.want(map[string]int{"allow on phone": 2})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := noted(t, dir)
				defer w.close()
				play(w)
			})
		})
	}
}

// three has three equal calls ask side by side, as Claude Code 2.1.325 does with tools
// that only read: first all of them begin, then all of them ask.
func (w *world) three() (calls []*call) {
	for _, id := range []string{"toolu_1", "toolu_2", "toolu_3"} {
		w.send(began(id, "WebFetch", fetch)).end()
	}
	for range 3 {
		calls = append(calls, w.send(wants("WebFetch", fetch)))
		time.Sleep(time.Second) // of the bubble
		if got := w.open()[len(calls)-1].Ask.Origin.ToolCall; got != "" {
			w.t.Fatalf("it is not known which call it is, and it is said to be %q", got)
		}
	}
	return calls
}

// lost leaves a request as a process does that was killed.
func (w *world) lost() {
	w.send(began("toolu_1", "Bash", shell)).end()
	c := w.send(wants("Bash", shell))
	w.away = true
	c.drop()
	w.away = false
	w.want(map[string]int{"open": 1})
}

// TestLocal: a tool call that nobody is asked about needs no hub, and leaves little.
func TestLocal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := &hook.Options{Notes: dir}
	for i := range 100 {
		for _, e := range []map[string]any{began(fmt.Sprint("toolu_", i), "Read", fetch), ended(fmt.Sprint("toolu_", i), "Read", fetch)} {
			data, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := claude.Agent().Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			if reply, local, err := hook.Local(claude.Agent().Info(), parsed, o); !local || err != nil || string(reply) != "{}\n" {
				t.Fatalf("%s, %t, %v", reply, local, err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Size() > 10_000 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
}

// TestLarge: a file of any size that the hub takes is asked about, shown to its last
// byte, and closed when it was written, although that event has it twice.
func TestLarge(t *testing.T) {
	t.Parallel()
	for _, size := range []int{200_000, 450_000, 2_000_000} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, hook.Options{Notes: dir, Read: disk{}.read})
			defer w.close()
			content := strings.Repeat("0123456789 abcdefgh\n", size/20) + "LAST LINE"
			input := string(spelled(t, map[string]any{"file_path": "/home/ann/shop/big.txt", "content": content}))
			w.send(began("toolu_1", "Write", input)).end()
			c := w.send(wants("Write", input, acceptEdits))
			in := w.hub.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, Surface: "phone"})
			ticket := w.stored()
			whole, opened, err := hub.Whole(t.Context(), in, ticket)
			if err != nil || !strings.Contains(whole.Questions[0].Body, "LAST LINE") {
				t.Fatalf("%d bytes: the end is not shown: %v", size, err)
			}
			o := chooses("allow")
			if _, err := in.Close(t.Context(), ticket, o); err == nil {
				t.Errorf("%d bytes are allowed unseen", size)
			}
			o.Answers[0].Opened = opened
			if _, err := in.Close(t.Context(), ticket, o); err != nil {
				t.Fatal(err)
			}
			c.says("allow")
			w.send(ended("toolu_1", "Write", input)).end()

			// The same again, allowed at the terminal: nobody knows what that showed.
			w.send(began("toolu_2", "Write", input)).end()
			c = w.send(wants("Write", input, acceptEdits))
			w.stored()
			e := ended("toolu_2", "Write", input)
			e["tool_response"] = map[string]any{"content": content, "filePath": "/home/ann/shop/big.txt"}
			w.send(e).end()
			c.says("nothing")
			w.want(map[string]int{"allow on claude-code": 1, "allow on phone": 1})
		})
	}
}

// stored waits for the only open ask: its pages may take a while.
func (w *world) stored() *hub.Ticket {
	w.t.Helper()
	for range 600 {
		if all := w.open(); len(all) == 1 {
			return all[0]
		}
		time.Sleep(time.Second) // of the bubble
	}
	w.t.Fatal("nobody is asked")
	return nil
}

func spelled(t *testing.T, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
