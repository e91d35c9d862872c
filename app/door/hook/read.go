package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// MaxName is the most bytes that the hub takes as a name.
const MaxName = 128

// Names are what an event names. Others may be missing.
type Names struct {
	Event, Session string
	Others         []string
}

// Read reads the JSON of an event into a struct, and checks what names then returns.
func Read(data []byte, into any, names func() Names) error {
	if err := sayso.CheckLargeJSON(data, MaxEvent); err != nil {
		return fmt.Errorf("hook: reading the event: %w", err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("hook: reading the event: %w", err)
	}
	n := names()
	if n.Event == "" {
		return errors.New("hook: the event has no hook_event_name")
	}
	if n.Session == "" {
		return errors.New("hook: the event has no session_id")
	}
	for _, name := range append(n.Others, n.Session) {
		if len(name) > MaxName {
			return fmt.Errorf("hook: a name in the event has %d bytes; at most %d are taken", len(name), MaxName)
		}
	}
	return nil
}

// Line spells a reply on one line. One that cannot be spelled, which only an input from
// outside could be, says nothing.
func Line(reply any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(reply); err != nil {
		return []byte("{}\n")
	}
	return b.Bytes()
}
