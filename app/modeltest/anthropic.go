package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// anthropic is the Messages wire.
var anthropic = wire{read: readAnthropic, write: writeAnthropic, fail: failAnthropic}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

func readAnthropic(r *Request) error {
	var body struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		System json.RawMessage `json:"system"`
		Tools  []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream = body.Model, body.Stream
	if body.System != nil {
		r.System = text(body.System)
	}
	for _, t := range body.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	names := map[string]string{}
	for _, m := range body.Messages {
		var plain string
		var blocks []anthropicBlock
		if json.Unmarshal(m.Content, &plain) == nil {
			blocks = []anthropicBlock{{Type: "text", Text: plain}}
		} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return err
		}
		var words string
		var ids []string
		for _, b := range blocks {
			switch b.Type {
			case "text":
				words = joinLines(words, b.Text)
			case "tool_use":
				ids = append(ids, b.ID)
				names[b.ID] = b.Name
			case "tool_result":
				res := Result{ID: b.ToolUseID, Tool: names[b.ToolUseID], IsError: b.IsError}
				if b.Content != nil {
					res.Text = text(b.Content)
				}
				r.Results = append(r.Results, res)
			}
		}
		if m.Role == "assistant" {
			r.seen = append(r.seen, said{ids: ids, text: words})
		} else {
			r.user(words)
		}
	}
	return nil
}

func writeAnthropic(w http.ResponseWriter, r *Request, rep reply) {
	stop := "end_turn"
	if len(rep.calls) > 0 {
		stop = "tool_use"
	}
	message := object{
		"id": fmt.Sprintf("msg_%d", rep.n), "type": "message", "role": "assistant", "model": r.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": 1, "output_tokens": 1},
	}
	// Text comes first; a reply of nothing is a text of nothing.
	var blocks []object
	if rep.text != "" || len(rep.calls) == 0 {
		blocks = append(blocks, object{"type": "text", "text": rep.text})
	}
	for _, c := range rep.calls {
		blocks = append(blocks, object{"type": "tool_use", "id": c.id, "name": c.name, "input": c.input})
	}
	if !r.Stream {
		message["content"], message["stop_reason"] = blocks, stop
		sendJSON(w, http.StatusOK, message)
		return
	}
	s := stream(w)
	s.send("message_start", object{"type": "message_start", "message": message})
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(b["input"].(json.RawMessage))}
		}
		s.send("content_block_start", object{"type": "content_block_start", "index": i, "content_block": start})
		s.send("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		s.send("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	s.send("message_delta", object{
		"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 5},
	})
	s.send("message_stop", object{"type": "message_stop"})
}

func failAnthropic(w http.ResponseWriter, status int) {
	kind := "api_error"
	if status < 500 {
		kind = "invalid_request_error"
	}
	sendJSON(w, status, object{"type": "error", "error": object{"type": kind, "message": "scripted failure"}})
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
