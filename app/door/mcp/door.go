package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [New].
type Options struct {
	// Hub is the hub of an agent that started this process. Default: none; only
	// [Door.Handler] can be used then.
	Hub hub.Asker

	// Origin says where asks come from. Its conversation is also where answers
	// that came too late for their call are looked for. The host and the agents
	// are those of each call. Default: nothing is known.
	Origin sayso.Origin

	// Instance names this run of the program among all that ask in the same
	// conversation. Default: a random name.
	Instance string

	// Gone reports whether a run that another instance names is over, so that
	// its asks may be taken on. Default: none is known to be.
	Gone func(instance string) bool

	// Ends counts how often Gone may have changed its mind. Default: it never does.
	Ends func() uint64

	// Hold is how long a call waits before it ends with a handle. Default: what
	// this client is known to bear, or 45 s.
	Hold time.Duration

	// TaskForms lets a client that polls a task show a form for it, beside the
	// other surfaces. Default: it only waits, as a form that is open there does
	// not close when the question is answered elsewhere.
	TaskForms bool

	// NoForms sends no forms: the question is in the inbox alone. It is for a client
	// whose forms come back to the hub as questions. Default: clients that can show
	// forms do.
	NoForms bool

	// Inbox returns the address of the web inbox, for clients that can send the
	// person there and show no forms. Default: there is none.
	Inbox func() string

	// Key signs what a client brings back with an answer. Default: a random one,
	// so that a form answered after a restart of this process is refused.
	Key []byte

	// Permission adds the tool permission_prompt, which answers Claude Code where
	// it would ask for permission: --permission-prompt-tool. Default: no.
	Permission bool

	// Dir is the directory that the agent works in, and Read returns the content of
	// a file there, nil if there is none: what needs permission is then shown with
	// the changes of files. Default: files cannot be read.
	Dir  string
	Read func(path string) (*string, error)

	// Version is that of the program. Default: "0".
	Version string
}

// Door is an MCP server that asks through a hub. All methods may be called from
// several goroutines.
type Door struct {
	opts   Options
	server *sdk.Server
	calls  atomic.Int64
	states *states
	turns  turns
	now    func() time.Time

	local    *caller  // of the standard streams; nil: none
	visitors sync.Map // the callers of the requests over HTTP, by name
	memories memories
	shorts   shorts
	sessions sessions

	// life ends with Close. It is kept because it belongs to the door, not to a
	// request.
	life context.Context
	stop context.CancelFunc
}

// New returns a door.
func New(opts *Options) *Door {
	d := &Door{opts: *opts}
	d.opts.Instance = cmp.Or(d.opts.Instance, rand.Text())
	d.opts.Version = cmp.Or(d.opts.Version, "0")
	if d.opts.Gone == nil {
		d.opts.Gone = func(string) bool { return false }
	}
	if d.opts.Ends == nil {
		d.opts.Ends = func() uint64 { return 0 }
	}
	d.life, d.stop = context.WithCancel(context.Background())
	d.states, d.now = newStates(opts.Key), time.Now
	if d.opts.Hub != nil {
		h := d.opts.Hub
		if d.opts.Origin.Conversation != "" {
			h = follow(h, d.opts.Origin.Conversation)
		}
		d.local = &caller{hub: h, who: d.opts.Instance, origin: d.opts.Origin, memory: &memory{}}
	}
	d.server = d.newServer()
	return d
}

// Close ends every call that waits, and the sessions of clients over HTTP. The
// asks stay in the hub. It may be called again.
func (d *Door) Close() {
	d.stop()
	for session := range d.server.Sessions() {
		session.Close()
	}
}
