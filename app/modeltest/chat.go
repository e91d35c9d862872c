package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat is the Chat Completions wire.
var chat = wire{read: readChat, write: writeChat, fail: failOpenAI}

func readChat(r *Request) error {
	var body struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Function struct {
					Name string `json:"name"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream = body.Model, body.Stream
	for _, t := range body.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	names := map[string]string{}
	for _, m := range body.Messages {
		words := ""
		if m.Content != nil && string(m.Content) != "null" {
			words = text(m.Content)
		}
		switch m.Role {
		case "system", "developer":
			r.System = joinLines(r.System, words)
		case "user":
			r.user(words)
		case "assistant":
			turn := said{text: words}
			for _, c := range m.ToolCalls {
				turn.ids = append(turn.ids, c.ID)
				names[c.ID] = c.Function.Name
			}
			r.seen = append(r.seen, turn)
		case "tool":
			r.Results = append(r.Results, Result{ID: m.ToolCallID, Tool: names[m.ToolCallID], Text: words})
		}
	}
	return nil
}

func writeChat(w http.ResponseWriter, r *Request, rep reply) {
	id := fmt.Sprintf("chatcmpl-%d", rep.n)
	message := object{"role": "assistant", "content": rep.text}
	finish := "stop"
	if len(rep.calls) > 0 {
		finish = "tool_calls"
		if rep.text == "" {
			message["content"] = nil
		}
		var calls []object
		for i, c := range rep.calls {
			one := object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": string(c.input)}}
			if r.Stream {
				one["index"] = i
			}
			calls = append(calls, one)
		}
		message["tool_calls"] = calls
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	if !r.Stream {
		sendJSON(w, http.StatusOK, object{
			"id": id, "object": "chat.completion", "created": 1, "model": r.Model, "usage": usage,
			"choices": []any{object{"index": 0, "message": message, "finish_reason": finish}},
		})
		return
	}
	s := stream(w)
	chunk := func(choices ...any) object {
		return object{"id": id, "object": "chat.completion.chunk", "created": 1, "model": r.Model, "choices": append([]any{}, choices...)}
	}
	s.send("", chunk(object{"index": 0, "delta": message, "finish_reason": nil}))
	s.send("", chunk(object{"index": 0, "delta": object{}, "finish_reason": finish}))
	last := chunk()
	last["usage"] = usage
	s.send("", last)
	fmt.Fprint(w, "data: [DONE]\n\n")
	s.flush()
}

func failOpenAI(w http.ResponseWriter, status int) {
	sendJSON(w, status, object{"error": object{"message": "scripted failure", "type": "server_error", "param": nil, "code": nil}})
}
