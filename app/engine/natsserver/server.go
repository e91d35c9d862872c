package natsserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Server is a running server and the folder it owns.
type Server struct {
	opts   *Options
	lock   *dirLock
	guard  *guard
	inner  atomic.Pointer[server.Server] // another one after reopen
	port   int                           // for clients; the same after reopen
	key    nkeys.KeyPair                 // of the connections inside this process
	system nkeys.KeyPair                 // of those that manage the server
	log    *bridge
	report Report

	condition condition

	watching sync.WaitGroup
	stop     chan struct{}
	wake     chan struct{} // holds one token: the server has stopped writing

	mu    sync.Mutex
	conns []*nats.Conn
	err   error // what went wrong while running

	closeOnce sync.Once
	closed    chan struct{}
	closeErr  error
}

// Report says what the boot found.
type Report struct {
	Store    StoreReport   // of the reading of the store before it was opened
	Warnings []string      // of the server, while it opened the store
	Took     time.Duration // from the call of Start to the server being ready
}

// Start takes the folder for this process, reads it to the end, and opens it. It returns a *LockedError when another
// process owns the folder, and a *hub.StorageError when nothing can be written there, or when records are lost: that wraps
// a *DamagedError. Only Close ends the server; ctx is for the start.
// A node of a cluster is started when it listens; Ready waits for the cluster.
func Start(ctx context.Context, o *Options) (*Server, error) {
	start := time.Now()
	if o == nil {
		o = &Options{}
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{opts: o, stop: make(chan struct{}), wake: make(chan struct{}, 1), closed: make(chan struct{})}
	s.log, s.condition.changed = newBridge(o.Logger, s.stoppedBy), make(chan struct{})
	if s.lock, err = lockDir(o.Dir); err != nil {
		return nil, Explain(o.Dir, err)
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(Explain(o.Dir, err), s.release())
	}
	s.report.Took = time.Since(start)
	s.watching.Go(s.watch)
	return s, nil
}

// open checks the store and starts the server on it.
func (s *Server) open(ctx context.Context) error {
	if err := s.openGuard(ctx); err != nil {
		return err
	}
	if err := s.startInner(ctx); err != nil {
		return err
	}
	s.report.Warnings = s.log.taken()
	if err := s.compare(); err != nil {
		s.shutdown()
		return err
	}
	return nil
}

func (s *Server) startInner(ctx context.Context) error {
	var public [2]string
	for i, key := range []*nkeys.KeyPair{&s.key, &s.system} {
		var err error
		if *key == nil {
			if *key, err = nkeys.CreateUser(); err != nil {
				return err
			}
		}
		if public[i], err = (*key).PublicKey(); err != nil {
			return err
		}
	}
	so, err := s.opts.build(public[0], public[1])
	if err != nil {
		return err
	}
	if s.port != 0 {
		so.Port = s.port
	}
	inner, err := server.NewServer(so)
	if err != nil {
		return fmt.Errorf("make the server: %w", err)
	}
	s.inner.Store(inner)
	inner.SetLoggerV2(s.log, false, false, false)
	started := make(chan struct{})
	go func() { // ends with the recovery of the streams, which nothing can interrupt
		inner.Start()
		close(started)
	}()
	select {
	case <-started:
	case <-ctx.Done():
		<-started
		s.shutdown()
		return fmt.Errorf("start the server: %w", ctx.Err())
	}
	if !inner.ReadyForConnections(5 * time.Second) {
		reason := "it is not ready for connections"
		select {
		case reason = <-s.log.fatal:
		default:
		}
		s.shutdown()
		return errors.New("start the server: " + reason)
	}
	if a, ok := inner.Addr().(*net.TCPAddr); ok && s.opts.Client != nil {
		s.port = a.Port
	}
	return nil
}

// shutdown ends the server, but not the process's hold on the folder.
func (s *Server) shutdown() {
	inner := s.inner.Load()
	inner.Shutdown()
	inner.WaitForShutdown()
}

// release closes the guard's files and gives the folder back.
func (s *Server) release() error {
	return errors.Join(s.closeGuard(), s.lock.Close())
}

// Report says what the boot found.
func (s *Server) Report() Report { return s.report }

// Addr is where clients outside of this process connect, nil when there is no port.
func (s *Server) Addr() net.Addr {
	if s.opts.Client == nil {
		return nil
	}
	return s.inner.Load().Addr()
}

// Conn returns a connection through memory. The name shows in the server's list of connections; empty means "sayso".
// Close closes it too.
func (s *Server) Conn(ctx context.Context, name string) (*nats.Conn, error) {
	return s.conn(ctx, name, s.key)
}

// SystemConn is like Conn, with a login of the system account: for the nodes of the cluster, not for records.
func (s *Server) SystemConn(ctx context.Context) (*nats.Conn, error) {
	return s.conn(ctx, "sayso system", s.system)
}

func (s *Server) conn(ctx context.Context, name string, key nkeys.KeyPair) (*nats.Conn, error) {
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	nc, err := connect(ctx, nats.Options{InProcessServer: s, Name: name, Nkey: public, SignatureCB: key.Sign})
	if err != nil {
		return nil, fmt.Errorf("connect in memory: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, nc)
	return nc, nil
}

// InProcessConn is for the connections of Conn.
func (s *Server) InProcessConn() (net.Conn, error) { return s.inner.Load().InProcessConn() }

// Ready waits until the node takes part in its cluster: there is a leader and this node has caught up. A server that is
// alone is always ready.
func (s *Server) Ready(ctx context.Context) error {
	for {
		err := s.Check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", err, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Check returns why the node does not take part in its cluster now, or lags behind, nil if it does or if it is alone.
func (s *Server) Check() error { return s.health(&server.HealthzOptions{}) }

func (s *Server) health(o *server.HealthzOptions) error {
	if s.opts.Cluster == nil {
		return nil
	}
	h := s.inner.Load().Healthz(o)
	if h.StatusCode == 200 {
		return nil
	}
	return fmt.Errorf("the node is not ready: %s", h.Error)
}

// Reachable returns why this node cannot take part in its cluster: it reaches too few of the others. Nil if it can, or if
// it is alone.
func (s *Server) Reachable() error {
	if s.opts.Cluster == nil {
		return nil
	}
	if have, all := s.Peers()+1, len(s.opts.Cluster.Routes); have <= all/2 {
		return fmt.Errorf("the node reaches %d of %d nodes, itself included", have, all)
	}
	return nil
}

// Led returns why the cluster has no leader that this node knows of and keeps up with, nil if it has, or if the server is
// alone.
func (s *Server) Led() error { return s.health(&server.HealthzOptions{JSServerOnly: true}) }

// Peers returns how many other nodes this one is connected to.
func (s *Server) Peers() int {
	seen := map[string]bool{}
	routes, err := s.inner.Load().Routez(nil)
	if err != nil {
		return 0
	}
	for _, r := range routes.Routes {
		seen[r.RemoteID] = true
	}
	return len(seen)
}

// Close ends the server: leadership is handed to other nodes, everything is written out, and what is left in the folder is
// written down for the next start. It returns early, with ctx's error, when that takes longer than ctx; calling it again
// waits on.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() {
		go func() {
			defer close(s.closed)
			s.closeErr = s.close()
		}()
	})
	select {
	case <-s.closed:
		return s.closeErr
	case <-ctx.Done():
		return fmt.Errorf("close the server: %w", ctx.Err())
	}
}

func (s *Server) close() error {
	close(s.stop)
	s.watching.Wait()
	s.mu.Lock()
	conns := s.conns
	s.conns = nil
	s.mu.Unlock()
	for _, nc := range conns {
		nc.Close()
	}
	s.leave()
	return errors.Join(s.seal(), s.release())
}

// lookups is how long a node that has closed its files waits for its goroutines.
const lookups = 3 * time.Second

// leave is shutdown for the end of the process. A node that looks up the address of another does so to the end, which
// takes most of a minute if the name server is silent, as it is while a whole network is stopped. Nothing is written any
// more by then, so leave does not wait for it.
func (s *Server) leave() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.shutdown()
	}()
	inner := s.inner.Load()
	var over <-chan time.Time
	for s.opts.Cluster != nil {
		if over == nil && inner.ClusterAddr() == nil { // closed after the streams and the logs of the nodes
			over = time.After(lookups)
		}
		select {
		case <-done:
			return
		case <-over:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	<-done
}
