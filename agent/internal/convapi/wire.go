package convapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/conversation"
)

// write answers with a value.
func write(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // who has gone is told nothing
	return nil
}

const maxBody = 1 << 20

// decode reads a body, strictly. One that is not needed may be absent.
func decode(r *http.Request, v any, needed bool) error {
	b, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		return &problem{http.StatusRequestEntityTooLarge, "the body is too large, or broke off"}
	}
	if len(b) == 0 && !needed {
		return nil
	}
	if err := sayso.CheckJSON(b); err != nil {
		return &problem{http.StatusBadRequest, err.Error()}
	}
	if err := json.Unmarshal(b, v); err != nil {
		return &problem{http.StatusUnprocessableEntity, "the body has a value of the wrong type"}
	}
	return nil
}

// problem is an error that has its own status.
type problem struct {
	status int
	detail string
}

func (p *problem) Error() string { return p.detail }

// fail writes an error as a problem detail.
func fail(w http.ResponseWriter, err error) {
	p := &problem{http.StatusServiceUnavailable, "the conversation cannot be reached just now"}
	var rejected *conversation.RejectedError
	var elsewhere *agent.ElsewhereError
	var busy *agent.BusyError
	switch {
	case errors.As(err, &p):
	case errors.Is(err, agent.ErrNotFound):
		p = &problem{http.StatusNotFound, "there is no such conversation"}
	case errors.Is(err, agent.ErrID):
		p = &problem{http.StatusUnprocessableEntity, "that is no name for a conversation"}
	case errors.Is(err, agent.ErrTooLarge):
		p = &problem{http.StatusRequestEntityTooLarge, "that is too large to be kept"}
	case errors.As(err, &rejected):
		p = &problem{http.StatusConflict, rejected.Reason}
	case errors.Is(err, agent.ErrShort):
		p = &problem{http.StatusConflict, "the conversation is too short to be summarised"}
	case errors.As(err, &busy):
		p = &problem{http.StatusConflict, fmt.Sprintf("conversation %s is not finished (%s)", busy.Conversation, busy.State)}
	case errors.As(err, &elsewhere):
		p = &problem{http.StatusConflict, "another host works on the conversation"}
	}
	b, _ := json.Marshal(api.Problem{Type: "about:blank", Title: http.StatusText(p.status), Status: p.status, Detail: p.detail})
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.status)
	_, _ = w.Write(b)
}
