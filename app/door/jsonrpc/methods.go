package jsonrpc

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/creachadair/jrpc2"
)

// Method is how a user interface is asked.
type Method string

// The methods. ClientAskUser is a request for each question, AskUserRequest a
// notification for each form, whose answer is an ask_user_response.
const (
	ClientAskUser  Method = "client/ask_user"
	AskUserRequest Method = "ask_user_request"
)

// The directions of a method. The server is sayso.
const (
	toServer = "client_to_server"
	toClient = "server_to_client"
)

// method is one entry of the registry that rpc/methods tells.
type method struct {
	Name         string  `json:"method"`
	Direction    string  `json:"direction"`
	Notification bool    `json:"notification,omitempty"`
	Description  string  `json:"description"`
	Params       []field `json:"params"`
	Result       []field `json:"result,omitempty"`

	handle jrpc2.Handler
}

type field struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
}

// table finds the handler of a method.
type table []method

func (t table) Assign(_ context.Context, name string) jrpc2.Handler {
	for i := range t {
		if t[i].Name == name && t[i].handle != nil {
			return t[i].handle
		}
	}
	return nil
}

// handle makes a handler of a function over the parameters of a method.
func handle[P any](strict bool, fn func(context.Context, *jrpc2.Request, *P) (any, error)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		p := new(P)
		if req.HasParams() {
			d := json.NewDecoder(strings.NewReader(req.ParamString()))
			if strict { // what was mistyped is refused, not ignored
				d.DisallowUnknownFields()
			}
			if err := d.Decode(p); err != nil {
				return nil, jrpc2.Errorf(jrpc2.InvalidParams, "params: %s", strings.TrimPrefix(err.Error(), "json: "))
			}
		}
		return fn(ctx, req, p)
	}
}

var (
	sessionField = field{"session_id", "string", false, "The conversation. Default: one for the folder."}
	idField      = field{"id", "string", true, "The ask, as the result of asking named it."}
	waitField    = field{"wait", "number", false, "Seconds to wait; then the result is pending and the ask stays open. Default: as long as it takes."}
)

// result fields of whatever tells what became of an ask.
var resultFields = []field{
	{"id", "string", false, "The ask, for check_answer and withdraw. A call that is not valid has none."},
	{"status", "string", true, "answered, unanswered, declined, cancelled, expired, superseded, unreachable, pending, or invalid for a call that nobody was asked."},
	{"text", "string", true, "What the model reads."},
	{"structured", "object", false, "The dialect's structured form, where it has one."},
	{"isError", "boolean", false, "Mark the tool result as an error."},
	{"stopTurn", "boolean", false, "End the turn instead of calling the model again."},
}

var lateField = field{"late", "array", false, "Earlier asks of the conversation whose answer came after their call had ended, each told once: {id, title, status, text}."}

// methods returns the registry of a connection.
func (s *session) methods() []method {
	all := append(s.askMethods(), s.surfaceMethods()...)
	all = append(all, uiMethods()...)
	return append(all, registry(&all))
}

// registry describes all methods, itself included.
func registry(all *[]method) method {
	m := method{
		Name: "rpc/methods", Direction: toServer,
		Description: "Describe every method.", Params: []field{},
		Result: []field{{"methods", "array", true, "Each with method, direction, notification, description, params and result."}},
	}
	m.handle = func(context.Context, *jrpc2.Request) (any, error) {
		return map[string]any{"methods": append(*all, m)}, nil
	}
	return m
}

// raw keeps a parameter as it was sent.
type raw = json.RawMessage
