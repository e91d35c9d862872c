package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// writer notes what becomes of a response, and gives the client a bounded time to
// take it.
type writer struct {
	http.ResponseWriter
	limit  time.Duration
	route  *route
	who    *auth.Principal
	status int
	wrote  bool
	cause  error
	began  time.Time     // of a stream
	waited time.Duration // for a person
}

// clientGone is the status of a request whose client went away, as nginx has it.
// Nobody reads it but the log and the metrics.
const clientGone = 499

// gone reports whether an error only says that the client went away.
func (c *call) gone(err error) bool {
	return !c.w.wrote && c.r.Context().Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, hub.ErrStopped)) &&
		!errors.Is(context.Cause(c.r.Context()), auth.ErrCredential)
}

func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) WriteHeader(status int) {
	if w.wrote {
		return
	}
	w.status, w.wrote = status, true
	w.patience()
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(b []byte) (int, error) {
	if !w.wrote {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// patience gives the client its time anew. A connection that has no deadlines,
// in a test say, has none.
func (w *writer) patience() {
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.limit))
}

// logged notes a request: the route and never the path, which names the ask; the
// key's id and never the key; what the store said about a failure, and never what
// the client did.
func (s *Server) logged(w *writer, r *http.Request, took time.Duration) {
	route, status := "none", w.status
	if w.route != nil {
		route = w.route.path
	}
	if !w.wrote && status == 0 {
		status = http.StatusOK
	}
	if !w.began.IsZero() {
		w.waited += s.opts.Now().Sub(w.began)
	}
	s.counts.request(w.route, status, max(0, took-w.waited))
	level := slog.LevelDebug
	if status >= 500 && !expected(w) {
		level = slog.LevelError
	}
	if !s.opts.Log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", method(r)), slog.String("route", route), slog.Int("status", status), slog.Duration("took", took),
	}
	if w.who != nil {
		attrs = append(attrs, slog.String("tenant", w.who.Tenant), slog.String("role", w.who.Role.String()), slog.String("key", w.who.Key))
	}
	if status >= 500 && w.cause != nil {
		attrs = append(attrs, slog.String("error", w.cause.Error()))
	}
	s.opts.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// expected reports whether a failure belongs to the end of the server, or was told
// when it began.
func expected(w *writer) bool {
	return errors.Is(w.cause, hub.ErrStopped) || w.route != nil && w.route.id == "getReadiness"
}

// method returns a method that may be logged: a client can make up others.
func method(r *http.Request) string {
	switch r.Method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return r.Method
	}
	return "other"
}

// panicked keeps a broken handler from ending the process. What it panicked with
// may hold an answer, so only its type is told, and where it happened.
func (c *call) panicked(v any) {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	c.s.opts.Log.Error("panic", slog.String("type", fmt.Sprintf("%T", v)), slog.String("stack", string(debug.Stack())))
	if !c.w.wrote {
		writeProblem(c.w, internal.problem(""))
	}
}
