package hubtest

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/saysohq/sayso/hub"
)

// Faulty is a store with faults in it. Its plan is asked at every step: before
// and after each operation on the store beneath, and before each bell.
//
// A plan may also act: block, to hold one party up; use the store beneath, or
// another hub, so that something happens exactly there.
type Faulty struct {
	Store hub.Store
	Plan  func(Step) Fault // default: no faults

	steps atomic.Int64

	mu      sync.Mutex
	watches map[*context.CancelCauseFunc]struct{}
}

var _ hub.Store = (*Faulty)(nil)

// Step is a point at which a fault can happen.
type Step struct {
	N       int  // counts the steps, from 1
	Op      Op   // what is being done
	Done    bool // it has had its effect
	Address hub.Address
	Record  hub.Record // of OpPut and OpBell
}

// Op is what is being done at a step.
type Op string

// The operations. A bell is a change that Watch is about to report.
const (
	OpPut  Op = "put"
	OpGet  Op = "get"
	OpList Op = "list"
	OpBell Op = "bell"
)

// Fault is what goes wrong at a step; the zero Fault is nothing.
type Fault struct {
	Err    error // the operation returns this, without effect if the step is not Done
	Drop   bool  // the bell is not heard
	Gap    bool  // the bell is heard as "changes may have been missed"
	Unsure bool  // the bell is heard as one before which others may have been lost
}

// Steps returns how many steps there were.
func (f *Faulty) Steps() int { return int(f.steps.Load()) }

func (f *Faulty) at(s Step) Fault {
	s.N = int(f.steps.Add(1))
	if f.Plan == nil {
		return Fault{}
	}
	return f.Plan(s)
}

// Put stores a record, or seems to, or seems not to.
func (f *Faulty) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	step := Step{Op: OpPut, Address: r.Address, Record: r}
	if fault := f.at(step); fault.Err != nil {
		return 0, fault.Err
	}
	revision, err := f.Store.Put(ctx, r, expect)
	step.Done = true
	if fault := f.at(step); fault.Err != nil {
		return 0, fault.Err
	}
	return revision, err
}

// Get returns a record, or fails.
func (f *Faulty) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	step := Step{Op: OpGet, Address: addr}
	if fault := f.at(step); fault.Err != nil {
		return hub.Record{}, fault.Err
	}
	r, err := f.Store.Get(ctx, kind, addr)
	step.Done = true
	if fault := f.at(step); fault.Err != nil {
		return hub.Record{}, fault.Err
	}
	return r, err
}

// List returns a page, or fails.
func (f *Faulty) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	if fault := f.at(Step{Op: OpList}); fault.Err != nil {
		return hub.Page{}, fault.Err
	}
	page, err := f.Store.List(ctx, q)
	if fault := f.at(Step{Op: OpList, Done: true}); fault.Err != nil {
		return hub.Page{}, fault.Err
	}
	return page, err
}

// Watch reports changes, or some of them.
func (f *Faulty) Watch(ctx context.Context, q hub.Query, ready func(), fn func(hub.Record)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f.mu.Lock()
	if f.watches == nil {
		f.watches = map[*context.CancelCauseFunc]struct{}{}
	}
	f.watches[&cancel] = struct{}{}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.watches, &cancel)
		f.mu.Unlock()
	}()
	err := f.Store.Watch(ctx, q, ready, func(r hub.Record) {
		switch fault := f.at(Step{Op: OpBell, Address: r.Address, Record: r}); {
		case fault.Drop:
		case fault.Gap:
			fn(hub.Record{})
		default:
			r.Unsure = r.Unsure || fault.Unsure
			fn(r)
		}
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// Cut ends every watch with an error, as a lost connection does.
func (f *Faulty) Cut(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for cancel := range f.watches {
		(*cancel)(err)
	}
}
