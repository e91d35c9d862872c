package hook

import (
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// MaxEvent is the most bytes that an event may have. An agent that writes a file sends
// it whole, and twice when it was written.
const MaxEvent = 8 << 20

// HandlerOptions are the options of [Handler].
type HandlerOptions struct {
	// Hub returns the hub as who made the request may use it. It
	// must be set.
	Hub func(*http.Request) (hub.Asker, error)

	Log *slog.Logger // default: none is kept
}

// Handler serves the door of an agent over HTTP: POST …/{event}, with one path for
// every event. The query may hold wait=30s and defer=true; see [Options].
//
// Agents take every status but 200 for a hook that failed, and go on; they tell the
// person. So a request that is not understood is refused, and a hub that cannot help
// says nothing.
func Handler(a Agent, opts *HandlerOptions) http.Handler {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, status, err := readRequest(a, w, r)
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		o, err := optionsOf(a, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c, err := opts.Hub(r)
		if err != nil {
			http.Error(w, "there is no hub", http.StatusServiceUnavailable)
			return
		}
		reply, err := New(a, c, o).Take(r.Context(), e)
		if err != nil {
			log.Info("hook abstains", "event", e.About().Name, "err", err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(reply)
	})
}

func readRequest(a Agent, w http.ResponseWriter, r *http.Request) (Event, int, error) {
	name := r.PathValue("event")
	if !slices.Contains(a.Info().Events, name) {
		return nil, http.StatusNotFound, errors.New("there is no such event")
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, http.StatusUnsupportedMediaType, errors.New("send Content-Type: application/json")
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(10 * time.Second))
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxEvent))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, errors.New("the event is too large")
	case err != nil:
		return nil, http.StatusBadRequest, errors.New("the body did not arrive")
	}
	control.SetReadDeadline(time.Time{}) // the hook is silent while it waits
	e, err := a.Parse(data)
	if err == nil && e.About().Name != name {
		err = errors.New("hook: the event is not the one of this path")
	}
	return e, http.StatusBadRequest, err
}

func optionsOf(a Agent, r *http.Request) (*Options, error) {
	q := r.URL.Query()
	o := &Options{}
	if unattended := a.Info().Unattended; unattended != nil {
		o.Unattended = unattended(r.Header)
	}
	switch q.Get("defer") {
	case "", "false":
	case "true":
		o.Defer = true
	default:
		return nil, errors.New("hook: defer is true or false")
	}
	if s := q.Get("wait"); s != "" {
		var err error
		if o.Wait, err = time.ParseDuration(s); err != nil || o.Wait < 0 {
			return nil, errors.New("hook: wait is a duration, as in 30s or 5m")
		}
	}
	return o, nil
}
