package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// ticketWrites counts the asks and outcomes that are written.
type ticketWrites struct {
	hub.Store
	n atomic.Int64
}

func (s *ticketWrites) Put(ctx context.Context, r hub.Record, last uint64) (uint64, error) {
	revision, err := s.Store.Put(ctx, r, last)
	if err == nil && r.Kind == hub.KindTicket {
		s.n.Add(1)
	}
	return revision, err
}

// The answer to an ask that is final is stored as delivered while its asker waits, and
// cannot be undone. If nobody waits, it can.
func TestFinal(t *testing.T) {
	final := func(a *sayso.Ask) { a.Final = true }
	t.Run("the asker waits", func(t *testing.T) {
		w := newWorld(t, nil)
		tk := w.ask(t, "a", final)
		if !tk.Ask.Final {
			t.Fatal("the ask is stored without it")
		}
		told := make(chan api.Ticket, 1)
		go func() { told <- must[api.Ticket](t, w, "bot", "GET", "/v1/asks/"+tk.ID+"?wait=1m", "") }()
		eventually(t, func() bool { return w.hub.Attached(tk.Address) })
		closed := must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
		if closed.Consumed.IsZero() {
			t.Error("the answer is not stored as delivered")
		}
		if got := <-told; got.Status != sayso.StatusAnswered || got.Consumed.IsZero() {
			t.Errorf("the asker was told %s, consumed %s", got.Status, got.Consumed)
		}
		if rec := w.do("ada", "POST", "/v1/asks/"+tk.ID+"/undo", "{}"); rec.Code != http.StatusConflict || !strings.HasSuffix(decoded[api.Problem](t, rec.Body.Bytes()).Type, api.Consumed) {
			t.Errorf("undoing it: %d %s", rec.Code, rec.Body)
		}
		if got := must[api.Ticket](t, w, "bot", "POST", "/v1/asks/"+tk.ID+"/consumed", ""); !got.Replayed {
			t.Error("consuming it is another write")
		}
	})
	t.Run("one request", func(t *testing.T) {
		for _, isFinal := range []bool{true, false} {
			store := &ticketWrites{Store: hub.NewMemory(nil)}
			w := newWorldOver(t, store, nil, nil)
			body := `{"id":"a","final":` + strconv.FormatBool(isFinal) + `,"questions":[{"id":"db","text":"Which?","options":[{"id":"pg","label":"A"},{"id":"lite","label":"B"}]}]}`
			told := make(chan *httptest.ResponseRecorder, 1)
			go func() { told <- w.do("bot", "POST", "/v1/asks?wait=1m&consume=1", body) }()
			var open api.TicketPage
			eventually(t, func() bool {
				open = must[api.TicketPage](t, w, "ada", "GET", "/v1/asks", "")
				return len(open.Tickets) == 1 && w.hub.Attached(open.Tickets[0].Address)
			})
			must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+open.Tickets[0].ID+"/answer", answerBody(open.Tickets[0], "pg"))
			if rec := <-told; rec.Code != http.StatusOK || decoded[api.Ticket](t, rec.Body.Bytes()).Consumed.IsZero() {
				t.Errorf("the asker was told %d %s", rec.Code, rec.Body)
			}
			if got, want := store.n.Load(), map[bool]int64{true: 2, false: 3}[isFinal]; got != want {
				t.Errorf("final %t: %d writes, want %d", isFinal, got, want)
			}
		}
	})
	t.Run("nobody waits", func(t *testing.T) {
		w := newWorld(t, nil)
		tk := w.ask(t, "a", final)
		must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
		if got := must[api.Ticket](t, w, "ada", "POST", "/v1/asks/"+tk.ID+"/undo", "{}"); got.Status != sayso.StatusPending {
			t.Errorf("undone, it is %s", got.Status)
		}
	})
	t.Run("a call", func(t *testing.T) {
		w := newWorld(t, nil)
		const args = `{"questions":[{"question":"Ship it?","header":"Ship","multiSelect":false,"options":[{"label":"Yes","description":"now"},{"label":"No","description":"later"}]}]}`
		got := must[api.CallResult](t, w, "bot", "POST", "/v1/dialects/claude/call?wait=0s", `{"id":"t1","final":true,"arguments":`+args+`}`)
		if tk := must[api.Ticket](t, w, "bot", "GET", "/v1/asks/"+got.Ask, ""); !tk.Ask.Final {
			t.Errorf("the ask is not final: %+v", tk.Ask)
		}
	})
}
