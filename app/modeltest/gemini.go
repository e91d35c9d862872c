package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// gemini is the generateContent wire.
var gemini = wire{read: readGemini, write: writeGemini, fail: failGemini}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text string `json:"text"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

func readGemini(r *Request) error {
	var body struct {
		System   geminiContent   `json:"systemInstruction"`
		Contents []geminiContent `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name string `json:"name"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	_, r.Model, _ = strings.Cut(r.Path, "/models/")
	r.Model, _, _ = strings.Cut(r.Model, ":")
	r.Stream = strings.Contains(r.Path, ":stream")
	for _, t := range body.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	for _, p := range body.System.Parts {
		r.System = joinLines(r.System, p.Text)
	}
	for _, c := range body.Contents {
		words, ids := "", []string(nil)
		for _, p := range c.Parts {
			switch {
			case p.Call != nil:
				ids = append(ids, p.Call.ID)
			case p.Response != nil:
				r.Results = append(r.Results, Result{ID: p.Response.ID, Tool: p.Response.Name, Text: geminiText(p.Response.Response)})
			default:
				words = joinLines(words, p.Text)
			}
		}
		if c.Role == "model" {
			r.seen = append(r.seen, said{ids: ids, text: words})
		} else {
			r.user(words)
		}
	}
	return nil
}

// geminiText is what the model reads of a response: its output or its error, if it
// has nothing else.
func geminiText(response json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(response, &members) == nil && len(members) == 1 {
		for _, name := range []string{"output", "error"} {
			if v := members[name]; v != nil {
				return text(v)
			}
		}
	}
	return string(response)
}

func writeGemini(w http.ResponseWriter, r *Request, rep reply) {
	var parts []any
	if len(r.Tools) == 0 && wantsJSON(r.Body) {
		// A program's own question beside the conversation: whose turn it is, which model to take.
		rep.text = `{"reasoning":"none","next_speaker":"user","model_choice":"flash","complexity_reasoning":"none","complexity_score":1}`
	}
	if rep.text != "" || len(rep.calls) == 0 {
		parts = append(parts, object{"text": rep.text})
	}
	for _, c := range rep.calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.name, "args": c.input}})
	}
	full := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
		"modelVersion":  r.Model, "responseId": fmt.Sprintf("resp_%d", rep.n),
	}
	if !r.Stream {
		sendJSON(w, http.StatusOK, full)
		return
	}
	stream(w).send("", full)
}

// wantsJSON reports whether the request asks for JSON.
func wantsJSON(body json.RawMessage) bool {
	var b struct {
		Config struct {
			MIME   string          `json:"responseMimeType"`
			Schema json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	return json.Unmarshal(body, &b) == nil && (b.Config.MIME == "application/json" || b.Config.Schema != nil)
}

func failGemini(w http.ResponseWriter, status int) {
	sendJSON(w, status, object{"error": object{"code": status, "message": "scripted failure", "status": "INTERNAL"}})
}
