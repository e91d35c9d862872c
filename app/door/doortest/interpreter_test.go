package doortest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// The conformance suite of the protocol calls tools by the names of its own
// fixtures, and it cannot show a credential. An interpreter stands between it
// and the hub's /mcp: it adds the token, and puts our tool for the fixture. What
// comes back is what our server says, under the fixture's names.

// fixture is one tool of the suite in our words.
type fixture struct {
	method    string // default: tools/call
	tool      string
	arguments object
	key       string // the suite's name for our input
	requires  string // the suite's name for what we require of a client
}

// fixtures says which of our tools stands for one of the suite. The tool of many
// rounds asks for one of two colours: a name is none, and is asked for again.
func fixtures(name string, args object) (fixture, bool) {
	question := func(q object) fixture {
		return fixture{tool: "ask_user", arguments: object{"questions": []any{q}}, key: "user_name"}
	}
	switch name {
	case "test_input_required_result_elicitation", "test_input_required_result_request_state", "test_input_required_result_tampered_state",
		"test_elicitation", "test_streaming_elicitation":
		return question(object{"question": "What is your name?"}), true
	case "test_input_required_result_multi_round":
		return question(object{"question": "What is your favourite colour?", "options": []any{object{"label": "blue"}, object{"label": "red"}}}), true
	case "greet", "test_simple_text", "test_logging_tool":
		return fixture{tool: "ask_user_async", arguments: object{"questions": []any{object{"question": "Anything else?"}}}}, true
	case "test_error_handling":
		return fixture{tool: "ask_user", arguments: object{}}, true
	case "test_missing_capability":
		// What we require of a client is that it knows tasks, if it asks about one.
		return fixture{method: "tasks/get", tool: "none", requires: "sampling"}, true
	case "slow_compute", "test_tool_with_task", "failing_job":
		label, _ := args["label"].(string)
		word := "soon"
		if seconds, ok := args["seconds"].(float64); ok && seconds > 10 {
			word = "never"
		}
		return question(object{"question": "Answer " + word + ": " + label + "?"}), true
	}
	return fixture{}, false
}

// interpreter serves the suite and speaks with the hub.
func interpreter(t *testing.T, server *Server) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the suite hung up
		}
		body, f := interpret(r.Header, body)
		to, err := http.NewRequestWithContext(r.Context(), r.Method, server.URL+"/mcp", bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		to.Header, to.Host = r.Header.Clone(), r.Host
		to.Header.Set("Authorization", "Bearer "+server.Token)
		to.Header.Del("Accept-Encoding")
		resp, err := http.DefaultTransport.RoundTrip(to)
		if err != nil {
			return // the suite hung up, or the hub is gone, which the suite tells
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.Header().Del("Content-Length")
		w.WriteHeader(resp.StatusCode)
		lines := bufio.NewReader(resp.Body)
		for {
			line, err := lines.ReadBytes('\n')
			w.Write(theirs(line, f))
			w.(http.Flusher).Flush()
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// interpret returns a request of the suite as one of ours.
func interpret(header http.Header, body []byte) ([]byte, fixture) {
	var m object
	if json.Unmarshal(body, &m) != nil {
		return body, fixture{}
	}
	if result, ok := m["result"].(object); ok && result["action"] == "accept" { // of a form
		m["result"] = ours(object{"": result}, "")["ask"]
		body, _ = json.Marshal(m)
		return body, fixture{}
	}
	params, _ := m["params"].(object)
	name, _ := params["name"].(string)
	args, _ := params["arguments"].(object)
	f, ok := fixtures(name, args)
	if m["method"] != "tools/call" || !ok {
		return body, fixture{}
	}
	params["name"], params["arguments"] = f.tool, f.arguments
	if f.method != "" {
		m["method"], m["params"] = f.method, object{"taskId": f.tool, "_meta": params["_meta"]}
		header.Set("Mcp-Method", f.method)
	}
	if in, ok := params["inputResponses"].(object); ok {
		params["inputResponses"] = ours(in, f.key)
	}
	if header.Get("Mcp-Name") == name {
		header.Set("Mcp-Name", f.tool)
	}
	body, _ = json.Marshal(m)
	return body, f
}

// ours puts our names for the suite's in what it answers.
func ours(in object, key string) object {
	out := object{}
	for k, v := range in {
		if answer, ok := v.(object); ok && (k == key || len(in) == 1) {
			if content, ok := answer["content"].(object); ok {
				for _, name := range slices.Sorted(maps.Keys(content)) {
					answer["content"] = object{"question_0": fmt.Sprint(content[name])}
				}
			}
			k = "ask"
		}
		out[k] = v
	}
	return out
}

// theirs puts the suite's names for ours in a line of what the hub says.
func theirs(line []byte, f fixture) []byte {
	head, data := "", line
	if rest, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
		head, data = "data: ", rest
	}
	var m object
	if json.Unmarshal(data, &m) != nil {
		return line
	}
	result, _ := m["result"].(object)
	fault, _ := m["error"].(object)
	told, _ := fault["data"].(object)
	in, asks := result["inputRequests"].(object)
	required, requires := told["requiredCapabilities"].(object)
	switch {
	case f.key != "" && asks:
		in[f.key] = in["ask"]
		delete(in, "ask")
	case f.requires != "" && requires:
		required[f.requires] = required["extensions"]
		delete(required, "extensions")
	default:
		return line
	}
	out, err := json.Marshal(m)
	if err != nil {
		return line
	}
	return append([]byte(head), append(out, '\n')...)
}
