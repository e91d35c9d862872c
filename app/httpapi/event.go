package httpapi

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// event is a change of a ticket. Its spellings are shared by all streams.
type event struct {
	at     place // behind it
	ticket *hub.Ticket
	size   int
	frames [sights]struct {
		once sync.Once
		text []byte
	}
}

// frame returns the event as a stream writes it for that sight.
func (e *event) frame(h *hub.Hub, s sight) []byte {
	f := &e.frames[s]
	f.once.Do(func() { f.text = frame(e.at.String(), api.EventAsk, wire(h, e.ticket, s)) })
	return f.text
}

// frame spells an event; one without an id cannot be resumed behind.
func frame(id, name string, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // stored metadata that cannot be spelled again
		data = []byte("{}")
	}
	b := make([]byte, 0, len(data)+len(id)+len(name)+32)
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	return append(append(append(b, "data: "...), data...), "\n\n"...)
}

// place is a position between two events of a feed: the number of the next one.
// Events of different epochs have no common order.
type place struct {
	epoch string
	next  uint64
}

// String returns the id of the event before the place.
func (p place) String() string { return p.epoch + "-" + strconv.FormatUint(p.next-1, 10) }

// behind reads the id of an event as the place behind it.
func behind(id string) place {
	epoch, n, _ := strings.Cut(id, "-")
	number, err := strconv.ParseUint(n, 10, 63)
	if err != nil {
		return place{}
	}
	return place{epoch, number + 1}
}

// sizeOf returns about how many bytes a ticket takes.
func sizeOf(t *hub.Ticket) int {
	n := 1024
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		n += len(q.Text) + len(q.RawText) + len(q.Body)
		for j := range q.Options {
			o := &q.Options[j]
			n += len(o.Label) + len(o.RawLabel) + len(o.Description) + len(o.Preview)
		}
	}
	if t.Outcome != nil {
		n += len(t.Outcome.Reply)
		for _, a := range t.Outcome.Answers {
			n += len(a.Other) + len(a.Note)
		}
	}
	return 2 * n // as a ticket and spelled
}
