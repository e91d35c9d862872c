package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// Version is that of the JSON forms. A form of another version is not read.
const Version = 1

// envelope is the JSON form of a state, an event or an effect.
type envelope struct {
	V    int             `json:"v"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// The kinds, one value of each.
var (
	states  = []State{Idle{}, LLMRequesting{}, ToolExecuting{}, AwaitingUserResponse{}, AwaitingSubAgents{}, Failed{}, Ended{}}
	events  = []Event{UserMessage{}, ModelReplied{}, ModelFailed{}, ToolFinished{}, AskPending{}, AskClosed{}, AskWithdrawn{}, SubAgentsSpawned{}, SubAgentAsked{}, SubAgentDone{}, Cancel{}, Retry{}, End{}, Delivered{}, Resumed{}}
	effects = []Effect{Save{}, Notify{}, RequestModel{}, ExecuteTool{}, StopWork{}, AskUser{}, WithdrawAsk{}, StartAgent{}, TellAgent{}, CancelAgent{}, TellParent{}}
)

// MarshalState returns the JSON form of a state.
func MarshalState(s State) ([]byte, error) { return marshal(s) }

// MarshalEvent returns the JSON form of an event.
func MarshalEvent(e Event) ([]byte, error) { return marshal(e) }

// MarshalEffect returns the JSON form of an effect.
func MarshalEffect(e Effect) ([]byte, error) { return marshal(e) }

// UnmarshalState reads the JSON form of a state. A field that this version does
// not know is an error, for it would be lost with the next save.
func UnmarshalState(data []byte) (State, error) {
	s, err := unmarshal(data, states)
	if err != nil {
		return nil, fmt.Errorf("conversation: read a state: %w", err)
	}
	missing := false // an ask that the state says is there
	switch s := s.(type) {
	case AwaitingUserResponse:
		missing = s.Ask == nil
	case AwaitingSubAgents:
		for _, a := range s.Agents {
			missing = missing || slices.Contains(a.Asks, nil)
		}
	}
	if missing {
		return nil, errors.New("conversation: read a state: it awaits no ask")
	}
	return s, nil
}

// UnmarshalEvent reads the JSON form of an event.
func UnmarshalEvent(data []byte) (Event, error) {
	e, err := unmarshal(data, events)
	if err != nil {
		return nil, fmt.Errorf("conversation: read an event: %w", err)
	}
	return e, nil
}

// UnmarshalEffect reads the JSON form of an effect.
func UnmarshalEffect(data []byte) (Effect, error) {
	e, err := unmarshal(data, effects)
	if err != nil {
		return nil, fmt.Errorf("conversation: read an effect: %w", err)
	}
	if a, ok := e.(AskUser); ok && a.Ask == nil {
		return nil, errors.New("conversation: read an effect: it asks nothing")
	}
	return e, nil
}

// Effects is a list of effects with a JSON form.
type Effects []Effect

// MarshalJSON returns the list of the JSON forms.
func (l Effects) MarshalJSON() ([]byte, error) {
	forms := make([]json.RawMessage, len(l))
	for i, e := range l {
		form, err := MarshalEffect(e)
		if err != nil {
			return nil, err
		}
		forms[i] = form
	}
	return json.Marshal(forms)
}

// UnmarshalJSON reads a list of JSON forms.
func (l *Effects) UnmarshalJSON(data []byte) error {
	var forms []json.RawMessage
	if err := json.Unmarshal(data, &forms); err != nil {
		return err
	}
	*l = nil
	for _, form := range forms {
		e, err := UnmarshalEffect(form)
		if err != nil {
			return err
		}
		*l = append(*l, e)
	}
	return nil
}

func marshal(v interface{ name() string }) ([]byte, error) {
	if v == nil {
		return nil, errors.New("conversation: nil has no JSON form")
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("conversation: write %s: %w", v.name(), err)
	}
	return json.Marshal(envelope{Version, v.name(), data})
}

func unmarshal[T interface{ name() string }](data []byte, kinds []T) (v T, err error) {
	var form envelope
	if err := strictly(data, &form); err != nil {
		return v, err
	}
	if form.V != Version {
		return v, fmt.Errorf("its version is %d, and this program reads %d", form.V, Version)
	}
	for _, kind := range kinds {
		if kind.name() != form.Type {
			continue
		}
		read := reflect.New(reflect.TypeOf(kind))
		if err := strictly(form.Data, read.Interface()); err != nil {
			return v, fmt.Errorf("%s: %w", form.Type, err)
		}
		return read.Elem().Interface().(T), nil
	}
	return v, fmt.Errorf("its type %q is not known", form.Type)
}

// strictly decodes exactly one value without unknown fields.
func strictly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text follows the end of it")
	}
	return nil
}
