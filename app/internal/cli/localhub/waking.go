package localhub

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/saysohq/sayso/app/wake"
)

// WakeRun is a run that resumed a session, as the owner's commands see it.
type WakeRun struct {
	wake.Run
	State string `json:"state"`
}

// wakes begins to resume sessions that have ended. A hub that others share does not: the
// sessions and the settings are of one person on one machine.
func (o *ServeOptions) wakes(e *Engine, log *slog.Logger) func() {
	if o.Wake == nil || o.Engine.shared() {
		return func() {}
	}
	return wake.Start(e.Hub, e.Store, &wake.Options{Tenant: Tenant, Notes: o.Places.Sessions(), Config: o.Wake, Now: o.Now, Log: log}).Close
}

// wakeLog serves the runs, the latest first.
func (op *operating) wakeLog(w http.ResponseWriter, r *http.Request) {
	runs, err := wake.Runs(r.Context(), op.engine.Store, Tenant)
	most, bad := strconv.Atoi(r.URL.Query().Get("limit"))
	if bad == nil && most >= 0 {
		runs = runs[:min(most, len(runs))]
	}
	all := make([]*WakeRun, len(runs))
	for i, run := range runs {
		all[i] = &WakeRun{*run, run.State()}
	}
	answerWith(w, all, err)
}

// WakeLog returns the runs that resumed sessions, the latest first.
func (s *Starter) WakeLog(ctx context.Context, most int) (all []*WakeRun, err error) {
	resp, err := s.operate(ctx, http.MethodGet, "wake?limit="+strconv.Itoa(most), nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var said reply
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return nil, err
	}
	return all, said.into(&all)
}
