package client_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// A surface learns when its connection to the hub ends and begins again, although the
// stream goes on without a reset.
func TestWatchLine(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) {
		case 1:
			io.WriteString(w, "event: reset\nid: 1\ndata: {}\n\n")
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(srv.Close)
	o := &client.Options{}
	o.Pause.Min, o.Pause.Max = time.Millisecond, time.Millisecond
	c, err := client.New(srv.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var got []bool
	resets := 0
	in := c.Inbox().(interface {
		WatchLine(context.Context, func(hub.Change), func(bool)) error
	})
	in.WatchLine(ctx, func(hub.Change) { resets++ }, func(up bool) {
		if got = append(got, up); len(got) == 4 {
			stop()
		}
	})
	if want := []bool{true, false, false, true}; !slices.Equal(got, want) || resets != 1 {
		t.Errorf("the line was %v, with %d resets, want %v and 1", got, resets, want)
	}
}
