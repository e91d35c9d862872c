package localhub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/hub"
)

// Erasure is what of a conversation is erased, or would be.
type Erasure struct {
	Tenant       string `json:"tenant"`
	Conversation string `json:"conversation"`
	Open         int    `json:"open"` // questions, which are withdrawn first
	Closed       int    `json:"closed"`
	Drafts       int    `json:"drafts"`
	Look         bool   `json:"look,omitzero"` // nothing is erased: it is only counted
}

// Nothing reports whether there is nothing to erase.
func (e *Erasure) Nothing() bool { return e.Open+e.Closed+e.Drafts == 0 }

// erase erases a conversation, or counts it.
func (op *operating) erase(w http.ResponseWriter, r *http.Request) {
	var e Erasure
	if err := json.NewDecoder(io.LimitReader(r.Body, 64<<10)).Decode(&e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	err := op.erased(r.Context(), &e)
	answerWith(w, &e, err)
}

func (op *operating) erased(ctx context.Context, e *Erasure) error {
	e.Open, e.Closed, e.Drafts = 0, 0, 0
	if err := op.each(ctx, hub.KindTicket, e, func(r hub.Record) error {
		if r.Closed {
			e.Closed++
			return nil
		}
		e.Open++
		if e.Look {
			return nil
		}
		t, err := op.engine.Hub.Get(ctx, r.Address)
		if err == nil && t.Open() {
			_, err = op.engine.Hub.Withdraw(ctx, t, sayso.StatusCancelled, "the conversation is erased", sayso.Responder{})
		}
		var closed *hub.ClosedError
		if errors.As(err, &closed) || errors.Is(err, hub.ErrNotFound) {
			return nil // it was closed meanwhile
		}
		return err
	}); err != nil {
		return err
	}
	if err := op.each(ctx, hub.KindDraft, e, func(hub.Record) error { e.Drafts++; return nil }); err != nil || e.Look || e.Nothing() {
		return err
	}
	if err := op.engine.NATS().Erase(ctx, e.Tenant, e.Conversation); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(e.Conversation))
	op.security.Note(securitylog.Event{Name: securitylog.ConversationErased, Tenant: e.Tenant, Count: e.Open + e.Closed, Reason: hex.EncodeToString(sum[:8])})
	op.log.Info("erased a conversation", "tenant", e.Tenant, "questions", e.Open+e.Closed, "drafts", e.Drafts)
	return nil
}

func (op *operating) each(ctx context.Context, kind hub.Kind, e *Erasure, do func(hub.Record) error) error {
	for q := (hub.Query{Kind: kind, Tenant: e.Tenant, Conversation: e.Conversation, Limit: 1000}); ; {
		page, err := op.engine.NATS().List(ctx, q)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if err := do(r); err != nil {
				return err
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

// Erase has the hub erase a conversation, or only count what it has if e.Look is set.
func (s *Starter) Erase(ctx context.Context, e Erasure) (*Erasure, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	resp, err := s.operate(ctx, http.MethodPost, "erase", bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var said reply
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return nil, err
	}
	return &e, said.into(&e)
}
