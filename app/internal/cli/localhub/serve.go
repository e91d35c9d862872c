package localhub

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/gateway"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/app/wake"
)

// Tenant is whose the asks of the person at this machine are.
const Tenant = "local"

// OpenAsks is how many asks one asker may have open if the quota does not say. All
// agents of the person are one asker.
const OpenAsks = 200

// ErrRunning says that another process serves this state folder.
var ErrRunning = errors.New("another hub serves this folder already")

// ServeOptions say what to serve and where.
type ServeOptions struct {
	Places Places
	Idle   time.Duration // ends when nothing waits and nobody was attached for so long; zero: only with ctx
	Log    *slog.Logger  // default: none is kept

	Listen string      // a TCP address, beside the socket; default: none
	Hosts  []string    // names that the server answers to there, beside those of this machine
	TLS    *tls.Config // of the TCP addresses; default: none

	Web     string // a TCP address of the web inbox; default: one on the loopback, once [Starter.WebLink] wants it
	Proxied bool   // a proxy in front of Web speaks TLS

	SecurityLog string // the file, or off; default: Places.SecurityLog

	Engine EngineOptions // of the store, when it is made

	MaxConnections int // over TCP at a time; default: what the file descriptors allow, see connlimit.Derive

	Now func() time.Time // the wall clock; default: time.Now

	Version string // of the program, for agents and clients; default: none is sent

	Manager *Manager // told when the hub is ready and when it stops; default: nobody is

	Background bool // a command started it; only told to who asks, see [Starter.Info]

	Drain  time.Duration    // how long requests are served on after the end has begun and /readyz says so; default: none
	Again  <-chan os.Signal // while the hub ends: do not wait for anything any more; default: nobody says so
	Reload *Reload          // what to do upon a signal; default: nothing

	Certificates []*Certificate // that may expire; default: none

	Metrics string // a TCP address that serves the metrics to anybody; default: none

	Notify NotifyOptions // how people are notified

	Codex CodexOptions // the Codex of this machine

	// Wake returns the commands that resume sessions of agents; it is called for each
	// answer. Default: nothing is resumed.
	Wake func() (*wake.Config, error)

	Quota httpapi.Quota  // of one asker; default: [OpenAsks], and else the API's own
	Ready func(*Serving) // called once requests are served
}

// Serving is where a hub is served.
type Serving struct {
	Socket    string
	URL       string // of the TCP address; empty: there is none
	TokenFile string // holds what a browser on this machine shows there; empty: there is none
	Web       string // of the web inbox; empty: nobody wants it yet
}

// Serve runs the hub of the state folder until ctx ends, or until it was idle for
// long enough. Both are no error. If another process serves the folder, or begins
// to while this one waits for its turn, Serve returns [ErrRunning].
func Serve(ctx context.Context, o *ServeOptions) (err error) {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	defer func() { err = natsserver.Explain(o.Places.State, err) }()
	if _, err := o.Places.Descriptors(o.newShards(), o.Engine.Cluster != nil); err != nil {
		return err
	}
	warn := &warned{log: log}
	warn.certificates(o.Certificates, time.Now())
	owners, others := newSpare(), newSpare()
	defer owners.close()
	defer others.close()
	if err := private(o.Places.State); err != nil {
		return err
	}
	if _, err := natsserver.Room(o.Places.State); err != nil {
		return err
	}
	turn, err := o.takeOver(ctx)
	if err != nil {
		return err
	}
	defer turn.Close() // the last: a successor may begin
	if err := o.addressesAreFree(); err != nil {
		return err
	}
	engine := o.Engine
	for {
		if err = o.serve(ctx, warn, &engine, owners, others); !errors.Is(err, errRestored) {
			break
		}
		log.Info("opening the storage that was restored")
	}
	if engine.server != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, engine.server.Close(last))
	}
	if ctx.Err() != nil && err != nil {
		log.Warn("told to end, and could not finish everything", "error", err) // of a cluster that has no majority any more, say
		if errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)) {
			return nil
		}
	}
	return err
}

// serve opens the store and serves it until it is to end, or until a backup was restored in its place: that is errRestored.
// The server in this process then goes on, and is set in the options for the next time: its peers need it.
func (o *ServeOptions) serve(ctx context.Context, warn *warned, opts *EngineOptions, owners, others *spare) (err error) {
	log := warn.log
	opening, err := o.opens(others)
	if err != nil {
		return err
	}
	defer opening.close()
	seen := newObserved(log)
	opts.observed, opts.waiting = seen, opening.says
	engine, err := OpenEngine(ctx, o.Places, log, opts)
	if err != nil && ctx.Err() != nil { // told to end while it waited
		log.Info("ending before the storage is open", "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if errors.Is(err, errRestored) {
			engine.keep, opts.server = true, engine.server
		}
		last, calm := hurry(context.WithoutCancel(ctx), o.Again)
		defer calm()
		err = errors.Join(err, engine.Close(last))
	}()
	defer o.watchClock(engine, warn, log)()
	security, err := OpenSecurityLog(o.Places, o.SecurityLog, log)
	if err != nil {
		return err
	}
	defer CloseSecurityLog(security)
	keys, err := openKeys(ctx, o.Places, engine, log)
	if err != nil {
		return err
	}
	defer keys.Close()

	sessions := auth.NewSessions(engine.Store, &auth.SessionsOptions{Run: o.run(), Note: noteSessions(security)})
	defer sessions.Close()

	person := auth.Principal{Tenant: Tenant, Role: auth.Everything, Assurance: sayso.AssuranceLocal}
	peers := &auth.Peers{UID: os.Getuid(), Who: person}
	boot, token := auth.NewBoot(person)
	who := marking{auth.First(keys, boot, peers)}
	run := runID()
	notifying := o.notifies(ctx, engine, run, peers, sessions, log)
	defer notifying.Close()
	defer o.wakes(engine, log)()
	var group *gateway.Group
	var changed func()
	if o.Engine.shared() {
		changed = func() { group.Changed() }
	}
	api, err := httpapi.New(engine.Hub, &httpapi.Options{
		Changed: changed, Attend: notifying.Attend, Rules: engine.Rules,
		Auth: who, Sessions: sessions, Hosts: o.Hosts, Ready: engine.unready, Log: log, Security: security, Quota: o.quota(), Usage: engine.Store, Version: o.Version,
		Metrics: []metrics.Source{seen.write, engine.metrics(o.Places), metrics.Process(time.Now())},
	})
	if err != nil {
		return err
	}
	defer api.Close()
	monitor, err := o.monitored(api, log)
	if err != nil {
		return err
	}
	defer monitor.close()
	if group = o.join(engine, run, api); group != nil {
		defer group.Close()
	}
	use := newUse(time.Now)
	server := api.HTTPServer()
	guard := o.connections(log, security, warn, engine.NATS().Shards())
	defer guard.Close()
	inbox := newWebInbox(o, engine.Hub, sessions, use, peers, guard, log, security, notifying)
	defer inbox.close()
	notifying.inbox.Store(inbox)
	open, shut := context.WithCancel(context.Background())
	defer shut()
	server.RegisterOnShutdown(shut)
	agents, err := newMCP(ctx, o, engine, run, group, who, api, inbox.address, security)
	if err != nil {
		return err
	}
	defer agents.door.Close()
	server.RegisterOnShutdown(agents.door.Close)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	own := &control{engine: engine, peers: peers, api: api, use: use, warn: warn, background: o.Background, since: time.Now(), stop: func() { stop(errStopped) }}
	keyring := &keysControl{peers, keys, security}
	op := &operating{o: o, peers: peers, engine: engine, use: use, security: security, log: log, notifying: notifying, reopen: func() { stop(errRestored) }, ends: open.Done()}
	life := newLife(o, log, warn, api, inbox, server, notifying)
	server.Handler = life.closing(own.beside(keyring.beside(op.beside(use.watch(agents.beside(inbox.beside(besideHooks(open, api, log))))))))
	inbox.server.Handler = life.closing(inbox.server.Handler)
	server.ConnContext = peers.ConnContext
	guardServer(guard, server)
	base := ""
	if o.Web != "" {
		if base, err = inbox.open(); err != nil {
			return err
		}
	}

	opening.close()
	where, listeners, err := o.listen(token, guard, owners, others)
	if err != nil {
		return err
	}
	where.Web = base
	defer os.Remove(filepath.Join(o.Places.Runtime, "token"))
	ended := make(chan error, len(listeners))
	for _, ln := range listeners {
		go func() { ended <- server.Serve(ln) }()
	}
	if os.Geteuid() == 0 {
		log.Warn("the hub runs as root: anyone who breaks into it has the whole machine. Start sayso as the user whose agents ask, or as a user of its own")
	}
	log.Info("serving", "socket", where.Socket, "url", where.URL, "pid", os.Getpid())
	if o.Ready != nil {
		o.Ready(where)
	}
	o.Manager.Ready()
	settle := life.watch(ctx)
	leaveCodex := o.connectCodex(use, log)
	err = o.until(ctx, ended, use, op)
	leaveCodex() // before the hub ends: it is told what nobody waits for any more
	settle()
	log.Info("ending", "because", err)
	if !errors.Is(err, errRestored) {
		o.Manager.Stopping()
		life.drain(err)
		o.Places.noteWaiting(api)
		if errors.Is(err, errIdle) || ctx.Err() != nil {
			err = nil
		}
	}
	life.shutdown()
	for range listeners {
		<-ended
	}
	return err
}

// newShards returns how many shards a new store on this machine gets.
func (o *ServeOptions) newShards() int {
	if o.Engine.NATS != nil {
		return 0
	}
	return cmp.Or(o.Engine.Shards, o.Engine.NewShards)
}

func (o *ServeOptions) quota() httpapi.Quota { return withOpen(o.Quota) }

func withOpen(q httpapi.Quota) httpapi.Quota {
	q.Open = cmp.Or(q.Open, OpenAsks)
	return q
}

var errIdle = errors.New("nothing waits and nobody is attached")

// until returns why the hub is to end. Whatever ended has told so still.
func (o *ServeOptions) until(ctx context.Context, ended chan error, u *use, op *operating) error {
	ctx, cancel := context.WithCancelCause(ctx)
	h := op.engine.Hub
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		if op.restoredElsewhere(ctx) {
			cancel(errRestored)
		}
	}()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		if o.Idle > 0 && u.wait(ctx, o.Idle, func(ctx context.Context) (bool, error) { return waits(ctx, h) }) == nil {
			cancel(errIdle)
		}
	}()
	defer func() { cancel(nil); <-idle; <-watching }()
	select {
	case err := <-ended:
		ended <- err
		cancel(err)
		return fmt.Errorf("listening: %w", err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// takeOver takes the lock of the folder. A hub that is still ending is waited for,
// and one that a command started in the background makes way for one that somebody
// starts on purpose.
func (o *ServeOptions) takeOver(ctx context.Context) (*os.File, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, ErrRunning)
	defer cancel()
	s := &Starter{Places: o.Places}
	for tries := 0; ; tries++ {
		f, err := lock(ctx, o.Places.hubLock(), func() bool {
			conn, err := s.Attach(ctx)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
		if !errors.Is(err, errNotNeeded) {
			return f, err
		}
		info, err := s.Info(ctx)
		if o.Background || tries == maxStarts || err != nil || !info.Background {
			return nil, ErrRunning
		}
		if _, err := s.Stop(ctx); err != nil && !errors.Is(err, ErrNotRunning) {
			return nil, fmt.Errorf("%w: stopping it: %w", ErrRunning, err)
		}
	}
}

// listen opens the socket, and the TCP address if there is one. Whoever can read
// the person's files may use that with the token.
func (o *ServeOptions) listen(token string, guard *connlimit.Guard, owners, others *spare) (*Serving, []net.Listener, error) {
	ln, err := listen(o.Places)
	if err != nil {
		return nil, nil, err
	}
	ln = guard.Owner(owners.listener(ln))
	where := &Serving{Socket: o.Places.Socket()}
	if o.Listen == "" {
		return where, []net.Listener{ln}, nil
	}
	tcp, err := listenTCP("--listen", o.Listen)
	if err != nil {
		ln.Close()
		return nil, nil, err
	}
	tcp = others.listener(tcp)
	tcp = guard.Listen(tcp)
	where.URL = "http://" + tcp.Addr().String()
	if o.TLS != nil {
		where.URL = "https://" + tcp.Addr().String()
		tcp = tls.NewListener(tcp, o.TLS)
	}
	where.TokenFile = filepath.Join(o.Places.Runtime, "token")
	if err := os.WriteFile(where.TokenFile, []byte(token+"\n"), 0o600); err != nil {
		ln.Close()
		tcp.Close()
		return nil, nil, err
	}
	return where, []net.Listener{ln, tcp}, nil
}
