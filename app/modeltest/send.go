package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// object is a JSON object on its way out.
type object = map[string]any

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // a client that went away is no concern of ours
}

// events is a stream of server-sent events.
type events struct{ w http.ResponseWriter }

func stream(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return events{w}
}

// send writes one event; name may be empty.
func (e events) send(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // of our own making
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", data)
	e.flush()
}

func (e events) flush() {
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}
