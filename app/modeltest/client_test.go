package modeltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A speaker is the smallest client of one wire: it builds a request from a
// conversation and reads the reply, streamed or not.
type speaker struct {
	path string
	// stream is the path of a streamed reply, where it is another.
	stream string
	body   func(stream bool, conv []turn, tools []string) any
	// whole reads a JSON reply, parts an event of a stream.
	whole func(t *testing.T, body []byte) answer
	parts func(t *testing.T, a *answer, event, data string)
}

// turn is one message of a conversation: the user's, the model's, or results.
type turn struct {
	user    string
	model   answer
	results []Result
}

// answer is what the model said.
type answer struct {
	text  string
	calls []call
	done  bool
}

func (sp speaker) ask(t *testing.T, url string, stream bool, conv []turn, tools ...string) answer {
	t.Helper()
	body, err := json.Marshal(sp.body(stream, conv, tools))
	if err != nil {
		t.Fatal(err)
	}
	path := sp.path
	if stream && sp.stream != "" {
		path = sp.stream
	}
	resp, err := http.Post(url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %s", resp.Status)
	}
	if !stream {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return sp.whole(t, b)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("content type %q", got)
	}
	var a answer
	event := ""
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
		} else if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			sp.parts(t, &a, event, data)
			event = ""
		}
	}
	if !a.done {
		t.Error("the stream has no end")
	}
	return a
}

func decode(t *testing.T, data string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

var speakers = map[string]speaker{
	Messages: {
		path: "/v1/messages",
		body: func(stream bool, conv []turn, tools []string) any {
			var messages, offered []any
			for _, c := range conv {
				switch {
				case c.user != "":
					messages = append(messages, object{"role": "user", "content": c.user})
				case c.results != nil:
					var blocks []any
					for _, r := range c.results {
						blocks = append(blocks, object{"type": "tool_result", "tool_use_id": r.ID, "is_error": r.IsError,
							"content": []any{object{"type": "text", "text": r.Text}}})
					}
					messages = append(messages, object{"role": "user", "content": blocks})
				default:
					blocks := []any{}
					if c.model.text != "" {
						blocks = append(blocks, object{"type": "text", "text": c.model.text})
					}
					for _, k := range c.model.calls {
						blocks = append(blocks, object{"type": "tool_use", "id": k.id, "name": k.name, "input": k.input})
					}
					messages = append(messages, object{"role": "assistant", "content": blocks})
				}
			}
			for _, name := range tools {
				offered = append(offered, object{"name": name})
			}
			return object{"model": "m", "stream": stream, "system": "be brief", "messages": messages, "tools": offered}
		},
		whole: func(t *testing.T, body []byte) answer {
			var m struct {
				StopReason string `json:"stop_reason"`
				Content    []struct {
					Type, Text, ID, Name string
					Input                json.RawMessage
				}
			}
			decode(t, string(body), &m)
			a := answer{done: true}
			for _, b := range m.Content {
				if b.Type == "text" {
					a.text += b.Text
				} else {
					a.calls = append(a.calls, call{b.ID, b.Name, b.Input})
				}
			}
			if (m.StopReason == "tool_use") != (len(a.calls) > 0) {
				t.Errorf("stop reason %q with %d calls", m.StopReason, len(a.calls))
			}
			return a
		},
		parts: func(t *testing.T, a *answer, event, data string) {
			var e struct {
				Type         string
				Index        int
				ContentBlock struct{ Type, ID, Name string } `json:"content_block"`
				Delta        struct {
					Text    string
					Partial string `json:"partial_json"`
				}
			}
			decode(t, data, &e)
			if e.Type != event {
				t.Errorf("event %q says %q", event, e.Type)
			}
			switch e.Type {
			case "content_block_start":
				if e.ContentBlock.Type == "tool_use" {
					a.calls = append(a.calls, call{id: e.ContentBlock.ID, name: e.ContentBlock.Name})
				}
			case "content_block_delta":
				a.text += e.Delta.Text
				if e.Delta.Partial != "" {
					last := &a.calls[len(a.calls)-1]
					last.input = append(last.input, e.Delta.Partial...)
				}
			case "message_stop":
				a.done = true
			}
		},
	},
	Chat: {
		path: "/v1/chat/completions",
		body: func(stream bool, conv []turn, tools []string) any {
			messages := []any{object{"role": "system", "content": "be brief"}}
			var offered []any
			for _, c := range conv {
				switch {
				case c.user != "":
					messages = append(messages, object{"role": "user", "content": []any{object{"type": "text", "text": c.user}}})
				case c.results != nil:
					for _, r := range c.results {
						messages = append(messages, object{"role": "tool", "tool_call_id": r.ID, "content": r.Text})
					}
				default:
					m := object{"role": "assistant", "content": c.model.text}
					var calls []any
					for _, k := range c.model.calls {
						calls = append(calls, object{"id": k.id, "type": "function", "function": object{"name": k.name, "arguments": string(k.input)}})
					}
					if calls != nil {
						m["tool_calls"] = calls
					}
					messages = append(messages, m)
				}
			}
			for _, name := range tools {
				offered = append(offered, object{"type": "function", "function": object{"name": name}})
			}
			return object{"model": "m", "stream": stream, "messages": messages, "tools": offered}
		},
		whole: func(t *testing.T, body []byte) answer {
			var c struct{ Choices []struct{ Message chatDelta } }
			decode(t, string(body), &c)
			a := answer{done: true}
			c.Choices[0].Message.addTo(&a)
			return a
		},
		parts: func(t *testing.T, a *answer, _, data string) {
			if data == "[DONE]" {
				a.done = true
				return
			}
			var c struct{ Choices []struct{ Delta chatDelta } }
			decode(t, data, &c)
			for _, choice := range c.Choices {
				choice.Delta.addTo(a)
			}
		},
	},
	Responses: {
		path: "/v1/responses",
		body: func(stream bool, conv []turn, tools []string) any {
			var items, offered []any
			for _, c := range conv {
				switch {
				case c.user != "":
					items = append(items, object{"type": "message", "role": "user", "content": []any{object{"type": "input_text", "text": c.user}}})
				case c.results != nil:
					for _, r := range c.results {
						items = append(items, object{"type": "function_call_output", "call_id": r.ID, "output": r.Text})
					}
				default:
					if c.model.text != "" {
						items = append(items, object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": c.model.text}}})
					}
					for _, k := range c.model.calls {
						items = append(items, object{"type": "function_call", "call_id": k.id, "name": k.name, "arguments": string(k.input)})
					}
				}
			}
			for _, name := range tools {
				if ns, inner, ok := strings.Cut(name, "::"); ok {
					offered = append(offered, object{"type": "namespace", "name": ns, "tools": []any{object{"type": "function", "name": inner}}})
				} else {
					offered = append(offered, object{"type": "function", "name": name})
				}
			}
			return object{"model": "m", "stream": stream, "instructions": "be brief", "input": items, "tools": offered}
		},
		whole: func(t *testing.T, body []byte) answer {
			var r struct{ Output []responsesItem }
			decode(t, string(body), &r)
			a := answer{done: true}
			for _, it := range r.Output {
				it.addTo(&a)
			}
			return a
		},
		parts: func(t *testing.T, a *answer, event, data string) {
			var e struct {
				Type string
				Item responsesItem
			}
			decode(t, data, &e)
			if e.Type != event {
				t.Errorf("event %q says %q", event, e.Type)
			}
			switch e.Type {
			case "response.output_item.done":
				e.Item.addTo(a)
			case "response.completed":
				a.done = true
			}
		},
	},
	Gemini: {
		path:   "/v1beta/models/m:generateContent",
		stream: "/v1beta/models/m:streamGenerateContent?alt=sse",
		body: func(_ bool, conv []turn, tools []string) any {
			var contents, offered []any
			for _, c := range conv {
				role, parts := "user", []any{}
				switch {
				case c.user != "":
					parts = append(parts, object{"text": c.user})
				case c.results != nil:
					for _, r := range c.results {
						parts = append(parts, object{"functionResponse": object{"id": r.ID, "name": geminiName(conv, r.ID), "response": object{"output": r.Text}}})
					}
				default:
					role = "model"
					if c.model.text != "" {
						parts = append(parts, object{"text": c.model.text})
					}
					for _, k := range c.model.calls {
						parts = append(parts, object{"functionCall": object{"id": k.id, "name": k.name, "args": k.input}})
					}
				}
				contents = append(contents, object{"role": role, "parts": parts})
			}
			for _, name := range tools {
				offered = append(offered, object{"name": name})
			}
			return object{
				"systemInstruction": object{"parts": []any{object{"text": "be brief"}}}, "contents": contents,
				"tools": []any{object{"functionDeclarations": offered}},
			}
		},
		whole: func(t *testing.T, body []byte) answer {
			var a answer
			geminiAnswer(t, &a, string(body))
			return a
		},
		parts: func(t *testing.T, a *answer, _, data string) { geminiAnswer(t, a, data) },
	},
}

// geminiName is the name of the call that a result is for.
func geminiName(conv []turn, id string) string {
	for _, c := range conv {
		for _, k := range c.model.calls {
			if k.id == id {
				return k.name
			}
		}
	}
	return ""
}

func geminiAnswer(t *testing.T, a *answer, data string) {
	var r struct {
		Candidates []struct {
			Content      geminiContent
			FinishReason string
		}
	}
	decode(t, data, &r)
	for _, p := range r.Candidates[0].Content.Parts {
		if p.Call == nil {
			a.text += p.Text
		} else {
			a.calls = append(a.calls, call{p.Call.ID, p.Call.Name, p.Call.Args})
		}
	}
	a.done = r.Candidates[0].FinishReason == "STOP"
}

type chatDelta struct {
	Content   string
	ToolCalls []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (d chatDelta) addTo(a *answer) {
	a.text += d.Content
	for _, c := range d.ToolCalls {
		a.calls = append(a.calls, call{c.ID, c.Function.Name, json.RawMessage(c.Function.Arguments)})
	}
}

type responsesItem struct {
	Type, Name, Namespace, Arguments string
	CallID                           string `json:"call_id"`
	Content                          []struct{ Text string }
}

func (it responsesItem) addTo(a *answer) {
	if it.Type == "function_call" {
		name := it.Name
		if it.Namespace != "" {
			name = it.Namespace + "::" + name
		}
		a.calls = append(a.calls, call{it.CallID, name, json.RawMessage(it.Arguments)})
		return
	}
	for _, c := range it.Content {
		a.text += c.Text
	}
}
