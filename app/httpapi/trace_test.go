package httpapi

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/api"
)

// TestTraceparent: the trace of an asker is stored with its ask and comes back with
// whatever tells of it.
func TestTraceparent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const one, two = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-00"
	const body = `{"questions":[{"id":"db","text":"Which?","options":[{"id":"pg","label":"PostgreSQL"},{"id":"lite","label":"SQLite"}]}],"origin":{"conversation":"c1"}}`
	tk := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", body, "Traceparent", one, "Idempotency-Key", "k1")
	if got := tk.Ask.Origin.Traceparent; got != one {
		t.Errorf("stored with %q", got)
	}
	again := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", body, "Traceparent", two, "Idempotency-Key", "k1")
	if again.ID != tk.ID || again.Ask.Origin.Traceparent != one {
		t.Errorf("the retry of another span is %s with %q", again.ID, again.Ask.Origin.Traceparent)
	}
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"), "Traceparent", two)
	if got := must[api.Ticket](t, w, "bot", "GET", "/v1/asks/"+tk.ID+"?wait=1m", ""); got.Ask.Origin.Traceparent != one {
		t.Errorf("the wait ends with %q", got.Ask.Origin.Traceparent)
	}
	events := w.follower(w.listen(t), "bot", "/v1/events")
	if got := collect(t, events, 2); !strings.Contains(got[1].data, `"traceparent":"`+one+`"`) {
		t.Errorf("the event has no trace: %s", got[1].data)
	}
	named := strings.Replace(body, `"c1"`, `"c2","traceparent":"`+two+`"`, 1)
	if got := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", named, "Traceparent", one); got.Ask.Origin.Traceparent != two {
		t.Errorf("the ask names %q, stored is %q", two, got.Ask.Origin.Traceparent)
	}
	if got := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", strings.Replace(body, "c1", "c3", 1), "Traceparent", "nonsense"); got.Ask.Origin.Traceparent != "" {
		t.Errorf("nonsense is stored as %q", got.Ask.Origin.Traceparent)
	}
	if rec := w.do("bot", "POST", "/v1/asks", strings.Replace(named, two, "nonsense", 1)); rec.Code != 422 {
		t.Errorf("nonsense in the body: %d", rec.Code)
	}
}
