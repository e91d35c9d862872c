package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// Message is the body of a request.
type Message struct {
	Type      string    `json:"type"`      // TypeWaiting, TypeClosed or TypeTest
	Timestamp time.Time `json:"timestamp"` // when it happened
	Data      Data      `json:"data"`
}

// The types of messages.
const (
	TypeWaiting = "ask.waiting"
	TypeClosed  = "ask.closed"
	TypeTest    = "test"
)

// Data says which ask a message is about. It has no text of the ask: receivers read
// that from the hub, which knows what they may see.
type Data struct {
	ID      string        `json:"id,omitempty"`     // the handle of the ask; none in a test
	Kind    sayso.AskKind `json:"kind,omitempty"`   // questions or approval; none in a test
	URL     string        `json:"url,omitempty"`    // where people answer it; none if other machines cannot reach the inbox
	Status  sayso.Status  `json:"status,omitempty"` // pending, or how it ended
	Waiting int           `json:"waiting"`          // how many asks the message says are open: 1, or 0 when it is closed
}

// message writes the body for a note, and returns the id of the message. Both are the
// same however often the note is put, as long as the ask stays open, or closed.
func (c *Channel) message(n *notify.Note) (id string, m *Message) {
	m = &Message{Type: TypeWaiting, Data: Data{URL: n.URL, Waiting: n.Waiting}}
	state := fmt.Sprintf("%s\n", n.Key)
	switch {
	case n.Test:
		m.Type, m.Data.Waiting = TypeTest, 0
		state += n.Token
	case n.Over:
		m.Type = TypeClosed
	}
	for i, t := range n.Asks {
		at := t.Ask.AskedAt
		if t.Outcome != nil && n.Over {
			at = t.Outcome.At
		}
		if at.After(m.Timestamp) {
			m.Timestamp = at
		}
		if i == 0 && len(n.Asks) == 1 {
			m.Data.ID, m.Data.Status = c.handle(t), t.Status()
			m.Data.Kind = sayso.ByAskKind(t.Ask, sayso.AskQuestions, sayso.AskApproval)
		}
		// The history grows with every answer that is taken back, so that an ask that
		// opens again is told again. The revision would also change when somebody only
		// begins to answer.
		state += fmt.Sprintf("\n%s %s %d", t.Digest, t.Status(), len(t.History))
	}
	if m.Timestamp.IsZero() {
		m.Timestamp = c.now()
	}
	m.Timestamp = m.Timestamp.UTC().Truncate(time.Millisecond)
	sum := sha256.Sum256([]byte(m.Type + "\n" + state))
	return "msg_" + hex.EncodeToString(sum[:16]), m
}

func (c *Channel) handle(t *hub.Ticket) string {
	if t.Handle != "" || c.opts.Handle == nil {
		return t.Handle
	}
	return c.opts.Handle(t.Address)
}

func (m *Message) bytes() []byte {
	b, _ := json.Marshal(m) // of such fields it does not fail
	return b
}
