package localhub

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/saysohq/sayso/client"
)

// clientOf returns a client of the API for a door in this process: what it asks
// for is done as who made the request from, with whatever proves who that is, and
// under the same guards. It may be used for as long as the request lasts.
func clientOf(api http.Handler, from *http.Request, opts *client.Options) (*client.Client, error) {
	own := client.Options{}
	if opts != nil {
		own = *opts
	}
	own.Transport = &inProcess{api: api, from: from}
	return client.New("http://localhost", &own)
}

// inProcess hands requests to the API without a network.
type inProcess struct {
	api  http.Handler
	from *http.Request
}

// passedOn are the headers that say who calls, and from which page.
var passedOn = []string{"Authorization", "Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest"}

// RoundTrip returns once the API has begun to answer.
func (t *inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(&callerContext{r.Context(), t.from.Context()})
	in := r.Clone(ctx)
	in.Host, in.RemoteAddr, in.TLS, in.RequestURI = t.from.Host, t.from.RemoteAddr, t.from.TLS, r.URL.RequestURI()
	for _, name := range passedOn {
		in.Header.Del(name)
		if values := t.from.Header.Values(name); len(values) > 0 {
			in.Header[name] = values
		}
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	body, out := io.Pipe()
	w := &pipeWriter{header: http.Header{}, out: out, begun: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer in.Body.Close()
		defer func() {
			err := io.EOF
			if v := recover(); v != nil {
				err = io.ErrUnexpectedEOF // as a connection that breaks off
			}
			w.WriteHeader(http.StatusOK)
			out.CloseWithError(err)
		}()
		t.api.ServeHTTP(w, in)
	}()
	resp := &http.Response{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1}
	select {
	case <-w.begun:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // even if the API has answered that it was cancelled
		body.CloseWithError(ctx.Err())
		cancel()
		<-ended
		return nil, r.Context().Err()
	}
	resp.StatusCode, resp.Header = w.status, w.sent
	resp.Body = &pipeReader{body, func() { body.Close(); cancel(); <-ended }}
	return resp, nil
}

// callerContext ends with one context and knows what another does: who calls.
type callerContext struct {
	context.Context
	caller context.Context
}

func (c *callerContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.caller.Value(key)
}

// pipeWriter is the side of a response that the API writes.
type pipeWriter struct {
	header, sent http.Header
	status       int
	out          *io.PipeWriter
	once         sync.Once
	begun        chan struct{}
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	})
}

func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(b)
}

// Flush sends what was written, which is so at once.
func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }

type pipeReader struct {
	io.Reader
	close func()
}

// Close ends the request, and returns when the API has noticed.
func (r *pipeReader) Close() error {
	r.close()
	return nil
}
