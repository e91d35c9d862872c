package jsonrpc

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/creachadair/jrpc2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [Serve]. Nil means the defaults.
type Options struct {
	Framing Framing       // default: Lines
	Origin  sayso.Origin  // of what is asked, where a request does not say; default: nothing is known
	Dialect sayso.Dialect // of ask_user requests that name none; default: the one that the arguments speak

	// Attach makes the other side a surface from the start, which is asked by this
	// method. Default: once it sends ui/attach.
	Attach Method
}

// maxWaiting is how many requests may be under way. They cost a goroutine each, and
// one that waits for a person must not hold up the others.
const maxWaiting = 1 << 20

// Serve speaks with the program at the other end until it goes away or ctx ends,
// neither of which is an error. It closes w. A read of r that is under way when ctx
// ends is not waited for.
func Serve(ctx context.Context, h hub.Asker, r io.Reader, w io.WriteCloser, opts *Options) error {
	s := &session{hub: h}
	if opts != nil {
		s.opts = *opts
	}
	ctx, cancel := context.WithCancel(ctx)
	defer s.work.Wait()
	defer cancel()
	s.peer = newPeer(ctx, s.methods())
	s.peer.start(r, w, s.opts.Framing)
	if s.opts.Attach != "" {
		if _, err := s.attach(ctx, s.opts.Attach, ""); err != nil {
			s.peer.stop()
			s.peer.wait(ctx)
			return fmt.Errorf("jsonrpc: attaching: %w", err)
		}
	}
	return s.peer.wait(ctx)
}

// session is one connection.
type session struct {
	hub  hub.Asker
	opts Options
	peer *peer
	work sync.WaitGroup // what goes on beside the requests

	mu       sync.Mutex
	attached bool
}

// peer is the program at the other end.
type peer struct {
	srv    *jrpc2.Server
	stream *stream
	gone   chan struct{} // closed with the connection

	mu      sync.Mutex
	waiting map[string]chan *reply // the dialogs whose ask_user_response is to come
}

// newPeer returns a peer whose requests are served, once it is started, in ctx.
func newPeer(ctx context.Context, methods []method) *peer {
	return &peer{
		gone: make(chan struct{}), waiting: map[string]chan *reply{},
		srv: jrpc2.NewServer(table(methods), &jrpc2.ServerOptions{
			AllowPush:   true,
			Concurrency: maxWaiting,
			NewContext:  func() context.Context { return ctx },
		}),
	}
}

func (p *peer) start(r io.Reader, w io.WriteCloser, f Framing) {
	p.stream = newStream(r, w, cmp.Or(f, Lines))
	p.srv.Start(p.stream)
}

// wait returns when the connection has ended, which it does with ctx.
func (p *peer) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.stop)
	defer stop()
	status := p.srv.WaitStatus()
	close(p.gone)
	if status.Err != nil {
		return fmt.Errorf("jsonrpc: reading: %w", status.Err)
	}
	return nil
}

func (p *peer) stop() { p.srv.Stop() }
