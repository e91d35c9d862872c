package notify

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Only one process over a store notifies. It says so every few seconds in a record;
// when it has been silent for long enough, another takes its place. Two that believe
// that they lead, for a moment, send nothing twice: each note is written down before,
// over what the other would have to write.
const (
	leadEvery = 2 * time.Second
	leadFor   = 8 * time.Second  // without success a leader stops after
	leadAfter = 12 * time.Second // another begins after
)

type lease struct {
	Node string `json:"node"`
	Beat uint64 `json:"beat"`
}

var leaseAddress = hub.Address{Tenant: common, Conversation: isLead, ID: isLead}

// lead notifies whenever this process is the one that does.
func (n *Notifier) lead(ctx context.Context) {
	if n.opts.Alone {
		n.notify(ctx)
		return
	}
	var seen lease
	since := time.Now()
	for ctx.Err() == nil {
		var now lease
		revision, _, err := n.record(ctx, hub.KindNotify, leaseAddress, &now)
		switch {
		case err != nil:
		case now != seen && now.Node != "" && now.Node != n.opts.Node:
			seen, since = now, time.Now()
		case now.Node == "" || now.Node == n.opts.Node || time.Since(since) >= leadAfter:
			if revision, err = n.beat(ctx, now.Beat+1, revision); err == nil {
				n.reign(ctx, now.Beat+1, revision)
				seen, since = lease{}, time.Now()
			}
		}
		sleep(ctx, leadEvery)
	}
}

// beat says that this process leads.
func (n *Notifier) beat(ctx context.Context, beat, revision uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, leadEvery)
	defer cancel()
	data, err := json.Marshal(lease{n.opts.Node, beat})
	if err != nil {
		return 0, err
	}
	return n.store.Put(ctx, hub.Record{Kind: hub.KindNotify, Address: leaseAddress, Data: data}, revision)
}

// reign notifies until it can no longer say so.
func (n *Notifier) reign(ctx context.Context, beat, revision uint64) {
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.notify(ctx)
	}()
	last := time.Now()
	for ctx.Err() == nil && time.Since(last) < leadFor {
		sleep(ctx, leadEvery)
		if ctx.Err() != nil {
			break
		}
		next, err := n.beat(ctx, beat+1, revision)
		if err == nil {
			beat, revision, last = beat+1, next, time.Now()
			continue
		}
		var now lease
		if r, _, err := n.record(ctx, hub.KindNotify, leaseAddress, &now); err == nil {
			if now.Node != n.opts.Node {
				break // another leads
			}
			beat, revision = now.Beat, r // the reply was lost
		}
	}
	closing := ctx.Err() != nil
	end()
	<-done
	if closing { // the others need not wait
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leadEvery)
		defer cancel()
		data, _ := json.Marshal(lease{Beat: beat + 1})
		n.store.Put(last, hub.Record{Kind: hub.KindNotify, Address: leaseAddress, Data: data}, revision)
	}
}

// notify notifies everybody until ctx ends.
func (n *Notifier) notify(ctx context.Context) {
	n.opts.Log.Info("this hub sends the notifications")
	ctx, end := context.WithCancel(ctx)
	n.mu.Lock()
	n.leading = ctx
	for kind, c := range n.channels {
		n.listen(kind, c)
	}
	n.mu.Unlock()
	n.directory(ctx)
	end()
	n.led.Wait()
	n.mu.Lock()
	people := n.people
	n.leading, n.people, n.known = nil, map[who]*person{}, map[who]*entry{}
	clear(n.repliers)
	n.mu.Unlock()
	for _, p := range people {
		p.stop()
	}
	for _, p := range people {
		p.close()
	}
}

// directory follows who can be notified, and how.
func (n *Notifier) directory(ctx context.Context) {
	changed := make(chan hub.Address, 256)
	all := make(chan struct{}, 1)
	again := func() {
		select {
		case all <- struct{}{}:
		default:
		}
	}
	n.led.Go(func() {
		for ctx.Err() == nil {
			n.store.Watch(ctx, hub.Query{Kind: hub.KindNotify}, again, func(r hub.Record) {
				if r.Kind == "" {
					again()
					return
				}
				if c := r.Address.Conversation; c != isContact && c != isPrefs {
					return
				}
				select {
				case changed <- r.Address:
				default:
					again()
				}
			})
			sleep(ctx, time.Second)
		}
	})
	reread := time.NewTicker(5 * time.Minute) // in case a change was missed
	defer reread.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-all:
			if n.readAll(ctx) != nil {
				sleep(ctx, time.Second)
				again()
			}
		case a := <-changed:
			if n.readOne(ctx, a) != nil {
				sleep(ctx, time.Second)
				again()
			}
		case <-reread.C:
			again()
		}
	}
}

// readOne reads a record that changed.
func (n *Notifier) readOne(ctx context.Context, a hub.Address) error {
	w := who{a.Tenant, a.Person}
	n.mu.Lock()
	e := &entry{contacts: map[string]*Contact{}}
	if old := n.known[w]; old != nil {
		e.contacts, e.prefs = maps.Clone(old.contacts), old.prefs
	}
	n.mu.Unlock()
	var err error
	found := false
	switch a.Conversation {
	case isContact:
		c := &Contact{}
		if _, found, err = n.record(ctx, hub.KindNotify, a, c); found {
			e.contacts[a.ID] = c
		} else {
			delete(e.contacts, a.ID)
		}
	case isPrefs:
		e.prefs = Prefs{}
		_, _, err = n.record(ctx, hub.KindNotify, a, &e.prefs)
	}
	if err != nil {
		return err
	}
	n.set(ctx, w, e)
	return nil
}

// readAll reads how everybody can be notified.
func (n *Notifier) readAll(ctx context.Context) error {
	found := map[who]*entry{}
	err := n.each(ctx, hub.Query{Kind: hub.KindNotify}, func(r hub.Record) {
		w := who{r.Address.Tenant, r.Address.Person}
		e := found[w]
		if e == nil {
			e = &entry{contacts: map[string]*Contact{}}
			found[w] = e
		}
		switch r.Address.Conversation {
		case isContact:
			c := &Contact{}
			if json.Unmarshal(r.Data, c) == nil {
				e.contacts[r.Address.ID] = c
			}
		case isPrefs:
			json.Unmarshal(r.Data, &e.prefs)
		}
	})
	if err != nil {
		return err
	}
	n.mu.Lock()
	for w, e := range n.known {
		switch now := found[w]; {
		case now == nil:
			found[w] = &entry{contacts: map[string]*Contact{}}
		case reflect.DeepEqual(now, e):
			delete(found, w)
		}
	}
	n.mu.Unlock()
	for w, e := range found {
		n.set(ctx, w, e)
	}
	return nil
}

// set notes how a person can be notified, and begins to, or ends it.
func (n *Notifier) set(ctx context.Context, w who, e *entry) {
	n.mu.Lock()
	if ctx.Err() != nil {
		n.mu.Unlock()
		return
	}
	n.known[w] = e
	p := n.people[w]
	if p == nil && len(e.contacts) > 0 {
		p = n.newPerson(ctx, w)
		n.people[w] = p
	}
	n.mu.Unlock() // a person's lock comes before the notifier's
	if p != nil {
		p.know(maps.Clone(e.contacts), e.prefs.clone())
	}
}
