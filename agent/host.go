package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// Options say what a host works with.
type Options struct {
	Journal journal.Journal       // where conversations are kept; required
	Asks    hub.Asker             // where asks wait for people: hub.Hub.Asker, or a client of a hub elsewhere; required
	Model   fantasy.LanguageModel // required; see package model

	System    string        // what the model is told first; default: nothing
	Tools     []Tool        // what the model may call, beside asking and sub-agents; default: nothing
	Dialect   sayso.Dialect // how the model is to ask; default: dialect.JSON
	AskTool   string        // the name of the asking tool; default: "ask_user"
	To        []string      // who may answer; default: whom the hub lets
	SubAgents SubAgents

	Program   string // what asks are signed with; default: "sayso-agent"
	Workspace string // default: none
	Branch    string // default: none

	Name      string        // of this host: one that comes back under its name goes on at once; default: "local"
	Lease     time.Duration // after which a host that says nothing is taken for dead, whole seconds; default: 10 s
	MaxActive int           // how many conversations are worked on at once; default: 256

	MaxTokens    int64         // of one reply; default: the provider's
	ModelTimeout time.Duration // of one request to the model; default: 15 min
	RetryDelay   time.Duration // before the second request to a model that failed, doubled for the next; default: 1 s
	MaxToolText  int           // bytes of a tool's result, the rest is cut off; default: 128 KiB

	// Recall returns what the model is told of a transcript, for hosts that
	// shorten it. Default: all of it. It may be called from several goroutines.
	Recall func(ctx context.Context, id string, entries []conversation.Entry) ([]conversation.Entry, error)

	Logger *slog.Logger // of what goes wrong where nobody waits for an error; default: discards

	probe func(point) // called before and after everything that the world can see, by the tests that kill the process; default: nothing
}

// SubAgents say what the sub-agents of a conversation may do.
type SubAgents struct {
	MaxDepth  int    // how deep they may be nested; default: 2; negative: there are none
	MaxCount  int    // how many one call may start; default: 8
	Deny      bool   // only the agent at the top may ask; default: their asks escalate
	MayAnswer bool   // a parent is asked before the person; default: it is not
	System    string // what their model is told first; default: a few words, and Options.System
}

// Host works on conversations. Its methods may be called from several goroutines.
type Host struct {
	o     Options
	ask   *sayso.Tool
	tools map[string]*Tool
	offer []fantasy.Tool // without the asking tool and sub-agents
	own   ownTools
	owner journal.Owner

	handles handles

	ctx    context.Context // ends with the host; for work that nobody waits for
	cancel context.CancelFunc
	wg     sync.WaitGroup
	doubt  chan struct{} // somebody may have to be resumed
	look   chan struct{} // all asks are to be looked at

	mu      sync.Mutex
	closed  bool
	active  map[string]*family
	queue   queue
	subs    map[int]func(Update)
	nextSub int
}

// Open starts a host: it goes on with conversations that were left unfinished by
// hosts that are no more, and wakes those whose asks are answered. ctx bounds only
// the start. Stop it after use.
func Open(ctx context.Context, opts *Options) (*Host, error) {
	h := &Host{o: *opts, active: map[string]*family{}, subs: map[int]func(Update){}, doubt: make(chan struct{}, 1), look: make(chan struct{}, 1)}
	if err := h.defaults(); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	h.owner = journal.Owner{Name: h.o.Name, Life: rand.Text()}
	if err := h.o.Journal.Attend(ctx, h.owner, h.o.Lease); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	h.ctx, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := h.recover(ctx); err != nil {
		h.Stop()
		return nil, fmt.Errorf("agent: look for unfinished conversations: %w", err)
	}
	h.wg.Go(h.beat)
	h.wg.Go(h.watch)
	return h, nil
}

func (h *Host) defaults() error {
	switch {
	case h.o.Journal == nil:
		return errors.New("options: no journal")
	case h.o.Asks == nil:
		return errors.New("options: no place for asks")
	case h.o.Model == nil:
		return errors.New("options: no model")
	}
	if h.o.Dialect == nil {
		h.o.Dialect = dialect.JSON
	}
	setDefault(&h.o.AskTool, "ask_user")
	setDefault(&h.o.Name, "local")
	setDefault(&h.o.Program, "sayso-agent")
	setDefault(&h.o.Lease, 10*time.Second)
	setDefault(&h.o.MaxActive, 256)
	setDefault(&h.o.ModelTimeout, 15*time.Minute)
	setDefault(&h.o.RetryDelay, time.Second)
	setDefault(&h.o.MaxToolText, 128<<10)
	setDefault(&h.o.SubAgents.MaxDepth, 2)
	setDefault(&h.o.SubAgents.MaxCount, 8)
	if h.o.Logger == nil {
		h.o.Logger = slog.New(slog.DiscardHandler)
	}
	h.ask = &sayso.Tool{Dialect: h.o.Dialect, Name: h.o.AskTool}
	h.tools = map[string]*Tool{}
	for i := range h.o.Tools {
		t := &h.o.Tools[i]
		if _, taken := h.tools[t.Name]; taken || t.Name == "" || t.Name == h.o.AskTool || t.Name == spawnTool {
			return fmt.Errorf("options: the tool name %q is empty or taken", t.Name)
		}
		offer, err := t.offer()
		if err != nil {
			return fmt.Errorf("options: tool %s: %w", t.Name, err)
		}
		h.tools[t.Name] = t
		h.offer = append(h.offer, offer)
	}
	var err error
	h.own, err = h.ownTools()
	return err
}

func setDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// Stop ends the host and waits until nothing of it runs. Conversations that were
// at work go on when a host is opened again, or at once on another one.
func (h *Host) Stop() {
	h.mu.Lock()
	again := h.closed
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.wg.Wait()
	if again {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.ctx), 5*time.Second)
	defer cancel()
	if err := h.o.Journal.Leave(ctx, h.owner); err != nil {
		h.o.Logger.Warn("leave", "error", err)
	}
}
