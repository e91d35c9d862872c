package rules

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Options are the options of [New]. Nil means the defaults.
type Options struct {
	Now    func() time.Time // default: time.Now
	Random io.Reader        // of ids; default: crypto/rand.Reader
}

// Rules are the rules in a store. All methods may be called from several goroutines,
// and in several processes.
type Rules struct {
	store hub.Store
	opts  Options
	turn  chan struct{} // holds one token: this process does not get in its own way
}

// New returns the rules in a store.
func New(store hub.Store, opts *Options) *Rules {
	r := &Rules{store: store, turn: make(chan struct{}, 1)}
	if opts != nil {
		r.opts = *opts
	}
	if r.opts.Now == nil {
		r.opts.Now = time.Now
	}
	if r.opts.Random == nil {
		r.opts.Random = rand.Reader
	}
	return r
}

// The errors of rules.
var (
	ErrNoRule  = errors.New("rules: no such rule")
	ErrTooMany = errors.New("rules: too many rules")
	ErrBusy    = fmt.Errorf("rules: the rules are being changed too often: %w", hub.ErrUndecided)
)

const maxTries = 64 // of a write that others get in the way of

func address(tenant string) hub.Address { return hub.Address{Tenant: tenant, ID: "rules"} }

func (r *Rules) now() time.Time { return r.opts.Now().UTC().Round(0) }

// read returns a tenant's rules as they are now: after a change that has returned,
// in any process, they are the changed ones.
func (r *Rules) read(ctx context.Context, tenant string) (*book, uint64, error) {
	for tries := 0; ; tries++ {
		rec, err := r.store.Get(ctx, hub.KindRule, address(tenant))
		switch {
		case errors.Is(err, hub.ErrNotFound):
			return &book{V: bookVersion}, 0, nil
		case errors.Is(err, hub.ErrUndecided) && tries < maxTries && ctx.Err() == nil:
			if err := pause(ctx); err != nil {
				return nil, 0, err
			}
			continue
		case err != nil:
			return nil, 0, fmt.Errorf("rules: reading the rules: %w", err)
		}
		b, err := parse(rec.Data)
		return b, rec.Revision, err
	}
}

// pause is for a store that is undecided, between two leaders say.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// change reads the rules, has them changed, and writes them, again if another was
// faster. If do returns false, nothing is written.
func (r *Rules) change(ctx context.Context, tenant string, do func(*book) (bool, error)) error {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for range maxTries {
		b, revision, err := r.read(ctx, tenant)
		if err != nil {
			return err
		}
		write, err := do(b)
		if err != nil || !write {
			return err
		}
		switch err := r.write(ctx, tenant, b, revision); {
		case err == nil:
			return nil
		case errors.Is(err, hub.ErrUndecided):
			// It may have been written. What is read next tells, and a use that was
			// counted for nothing is lost.
			if err := pause(ctx); err != nil {
				return err
			}
		case !errors.Is(err, hub.ErrConflict):
			return fmt.Errorf("rules: storing the rules: %w", err)
		}
	}
	return ErrBusy
}

func (r *Rules) write(ctx context.Context, tenant string, b *book, revision uint64) error {
	b.tidy(r.now())
	for i := range b.Rules {
		if err := check(&b.Rules[i]); err != nil {
			return err
		}
	}
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	if len(data) > maxRecord {
		return fmt.Errorf("%w: all rules of this hub have %d bytes, and %d is the most", ErrTooMany, len(data), maxRecord)
	}
	_, err = r.store.Put(ctx, hub.Record{Kind: hub.KindRule, Address: address(tenant), Data: data}, revision)
	return err
}

// over reports since when a rule decides nothing any more; zero: it still does.
func over(r *hub.Rule, now time.Time) time.Time {
	switch {
	case !r.Revoked.IsZero():
		return r.Revoked
	case r.Count > 0 && r.Used >= r.Count:
		return r.Last
	case !r.Until.IsZero() && !now.Before(r.Until):
		return r.Until
	}
	return time.Time{}
}

// Live reports whether a rule still decides something.
func Live(r *hub.Rule, now time.Time) bool { return over(r, now).IsZero() }

// tidy forgets rules that ended long ago, and the oldest of many that ended.
func (b *book) tidy(now time.Time) {
	var ended []time.Time
	for i := range b.Rules {
		if at := over(&b.Rules[i], now); !at.IsZero() {
			ended = append(ended, at)
		}
	}
	from := now.Add(-hub.KeepApprovals)
	slices.SortFunc(ended, time.Time.Compare)
	if n := len(ended) - maxDead; n > 0 && ended[n-1].After(from) {
		from = ended[n-1]
	}
	b.Rules = slices.DeleteFunc(b.Rules, func(r hub.Rule) bool {
		at := over(&r, now)
		return !at.IsZero() && !at.After(from)
	})
}

// List returns the rules of a tenant, in the order in which they were made. Those that
// ended are among them for a while.
func (r *Rules) List(ctx context.Context, tenant string) ([]hub.Rule, error) {
	b, _, err := r.read(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return b.Rules, nil
}

// Add stores a rule that [NewAllow] or [NewPattern] made, with a new id if it has none.
// When it returns, the rule holds in every process. One that is stored already is
// returned as it is.
func (r *Rules) Add(ctx context.Context, tenant string, rule hub.Rule) (hub.Rule, error) {
	if rule.ID == "" {
		var id [10]byte
		if _, err := io.ReadFull(r.opts.Random, id[:]); err != nil {
			return rule, fmt.Errorf("rules: drawing an id: %w", err)
		}
		rule.ID = "rule_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id[:]))
	}
	rule.Used, rule.Last, rule.Revoked, rule.RevokedBy = 0, time.Time{}, time.Time{}, ""
	if err := check(&rule); err != nil {
		return rule, err
	}
	err := r.change(ctx, tenant, func(b *book) (bool, error) {
		live := 0
		for i := range b.Rules {
			if b.Rules[i].ID == rule.ID { // perhaps by this call, although nobody could say so
				rule = b.Rules[i]
				return false, nil
			}
			if b.Rules[i].By == rule.By && over(&b.Rules[i], r.now()).IsZero() {
				live++
			}
		}
		if live >= MaxRules {
			return false, fmt.Errorf("%w: you have %d, which is all that one person may have; revoke one first", ErrTooMany, live)
		}
		b.Rules = append(b.Rules, rule)
		return true, nil
	})
	return rule, err
}

// Revoke ends the rules that which selects, and returns them. When it returns, none of
// them decides anything any more, in any process; an approval that one of them decided
// just before may still be on its way. [ErrNoRule] says that it selects none.
func (r *Rules) Revoke(ctx context.Context, tenant, by string, which func(*hub.Rule) bool) ([]hub.Rule, error) {
	var ended []hub.Rule
	err := r.change(ctx, tenant, func(b *book) (bool, error) {
		ended = nil
		write := false
		for i := range b.Rules {
			rule := &b.Rules[i]
			if !which(rule) {
				continue
			}
			if rule.Revoked.IsZero() {
				rule.Revoked, rule.RevokedBy, write = r.now(), by, true
			}
			ended = append(ended, *rule)
		}
		if len(ended) == 0 {
			return false, ErrNoRule
		}
		return write, nil
	})
	return ended, err
}

// Reset forgets all rules of a tenant, also those that cannot be read.
func (r *Rules) Reset(ctx context.Context, tenant string) error {
	rec, err := r.store.Get(ctx, hub.KindRule, address(tenant))
	if errors.Is(err, hub.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("rules: reading the rules: %w", err)
	}
	return r.write(ctx, tenant, &book{V: bookVersion}, rec.Revision)
}

// Decide says what the rules say about an approval that is new, for
// [hub.Options].Decide. Nil means that people decide.
//
// A rule that allows counts its use before, by compare-and-set on all rules: two
// processes never use one twice, and a rule that was revoked is not used any more.
func (r *Rules) Decide(ctx context.Context, t *hub.Ticket, contents hub.Contents) (*hub.Decision, error) {
	b, _, err := r.read(ctx, t.Address.Tenant)
	if err != nil || len(b.Rules) == 0 {
		return nil, err
	}
	now := r.now()
	c := callOf(ctx, t, now, contents)
	v, err := judge(b.Rules, c)
	if err != nil || v.act != hub.RuleAllow {
		return decision(v, b.Rules, t.Ask, now), err
	}
	var d *hub.Decision
	err = r.change(ctx, t.Address.Tenant, func(b *book) (bool, error) {
		c.now = r.now()
		v, err := judge(b.Rules, c) // they may have changed
		if err != nil {
			return false, err
		}
		d = decision(v, b.Rules, t.Ask, c.now)
		if v.act != hub.RuleAllow {
			return false, nil
		}
		b.Rules[v.rule].Used++
		b.Rules[v.rule].Last = c.now
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}
