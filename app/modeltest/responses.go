package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responses is the Responses wire.
var responses = wire{read: readResponses, write: writeResponses, fail: failOpenAI}

// responsesTool is a tool, or a namespace with tools in it.
type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"`
}

func readResponses(r *Request) error {
	var body struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Tools        []responsesTool `json:"tools"`
		Input        json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream, r.System = body.Model, body.Stream, body.Instructions
	for _, t := range body.Tools {
		switch {
		case t.Type == "namespace":
			for _, u := range t.Tools {
				r.Tools = append(r.Tools, t.Name+"::"+u.Name)
			}
		case t.Name != "":
			r.Tools = append(r.Tools, t.Name)
		default:
			r.Tools = append(r.Tools, t.Type)
		}
	}
	var plain string
	if json.Unmarshal(body.Input, &plain) == nil {
		r.user(plain)
		return nil
	}
	var items []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		CallID  string          `json:"call_id"`
		Name    string          `json:"name"`
		Output  json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(body.Input, &items); err != nil {
		return err
	}
	names := map[string]string{}
	for _, it := range items {
		switch it.Type {
		case "message", "":
			words := text(it.Content)
			switch it.Role {
			case "assistant":
				r.seen = append(r.seen, said{text: words})
			case "system", "developer":
				r.System = joinLines(r.System, words)
			default:
				r.user(words)
			}
		case "function_call", "custom_tool_call":
			names[it.CallID] = it.Name
			r.seen = append(r.seen, said{ids: []string{it.CallID}})
		case "function_call_output", "custom_tool_call_output":
			r.Results = append(r.Results, Result{ID: it.CallID, Tool: names[it.CallID], Text: text(it.Output)})
		}
	}
	return nil
}

func writeResponses(w http.ResponseWriter, r *Request, rep reply) {
	var items []object
	if rep.text != "" || len(rep.calls) == 0 {
		items = append(items, object{
			"type": "message", "id": fmt.Sprintf("msg_%d", rep.n), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": rep.text, "annotations": []any{}}},
		})
	}
	for _, c := range rep.calls {
		it := object{"type": "function_call", "id": "fc_" + c.id, "call_id": c.id, "name": c.name, "arguments": string(c.input), "status": "completed"}
		if ns, name, ok := strings.Cut(c.name, "::"); ok {
			it["namespace"], it["name"] = ns, name
		}
		items = append(items, it)
	}
	full := object{
		"id": fmt.Sprintf("resp_%d", rep.n), "object": "response", "created_at": 1, "status": "completed", "model": r.Model,
		"output": items, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{}, "error": nil, "incomplete_details": nil,
		"usage": object{
			"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2,
		},
	}
	if !r.Stream {
		sendJSON(w, http.StatusOK, full)
		return
	}
	s, seq := stream(w), 0
	send := func(kind string, e object) {
		e["type"], e["sequence_number"] = kind, seq
		seq++
		s.send(kind, e)
	}
	begun := object{}
	for k, v := range full {
		begun[k] = v
	}
	begun["status"], begun["output"], begun["usage"] = "in_progress", []any{}, nil
	send("response.created", object{"response": begun})
	for i, it := range items {
		at := func(extra object) object {
			extra["item_id"], extra["output_index"] = it["id"], i
			return extra
		}
		if it["type"] == "message" {
			part := object{"type": "output_text", "text": rep.text, "annotations": []any{}}
			send("response.output_item.added", object{"output_index": i, "item": object{
				"type": "message", "id": it["id"], "role": "assistant", "status": "in_progress", "content": []any{}}})
			send("response.content_part.added", at(object{"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []any{}}}))
			send("response.output_text.delta", at(object{"content_index": 0, "delta": rep.text}))
			send("response.output_text.done", at(object{"content_index": 0, "text": rep.text}))
			send("response.content_part.done", at(object{"content_index": 0, "part": part}))
		} else {
			empty := object{}
			for k, v := range it {
				empty[k] = v
			}
			empty["arguments"], empty["status"] = "", "in_progress"
			send("response.output_item.added", object{"output_index": i, "item": empty})
			send("response.function_call_arguments.delta", at(object{"delta": it["arguments"]}))
			send("response.function_call_arguments.done", at(object{"arguments": it["arguments"], "name": it["name"]}))
		}
		send("response.output_item.done", object{"output_index": i, "item": it})
	}
	send("response.completed", object{"response": full})
}
