package ntfy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// follow is a topic for answers. The channel learns of it when it is to send a note
// with buttons, and keeps it with the desk before it sends one: after a restart it goes
// on from there.
type follow struct {
	Address Address `json:"address"`
	Since   string  `json:"since"` // the last message that the desk has taken, or a time
	Used    int64   `json:"used"`  // the day on which a note with buttons was last sent

	ready   chan struct{} // closed when the topic is followed; nil while it is not
	isReady bool
	running bool
	told    time.Time // when the person was last told that a press was of no use
}

const (
	forget  = 60              // days after which a topic is not followed any more that nobody was sent to
	silence = 3 * time.Minute // without a word from the server, which sends one every 45 s
	most    = 32              // bytes of the data of a button
)

// followed reports whether the hub follows the topic for answers, and waits for it a
// little.
func (c *Channel) followed(ctx context.Context, a *Address) bool {
	c.mu.Lock()
	f := c.follows[a.account()]
	if f == nil {
		f = &follow{Since: strconv.FormatInt(c.opts.Now().Unix()-1, 10), ready: make(chan struct{})}
		c.follows[a.account()] = f
	}
	f.Address = *a
	today := c.opts.Now().Unix() / 86400
	if changed := f.Used != today || !f.running; changed {
		f.Used = today
		c.awake()
	}
	ready := f.ready
	c.mu.Unlock()

	wait, cancel := context.WithTimeout(ctx, c.opts.Ready)
	defer cancel()
	select {
	case <-ready:
		return true
	case <-wait.Done():
		c.opts.Log.Warn("the topic for answers cannot be read, so the notification has no buttons to answer", "server", a.Server)
		return false
	}
}

func (c *Channel) awake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Replies follows the topics for answers.
func (c *Channel) Replies(ctx context.Context, d notify.Desk) error {
	ctx, cancel := context.WithCancel(ctx)
	r := &replies{Channel: c, desk: d}
	err := r.restore(ctx)
	if err == nil {
		err = r.run(ctx)
	}
	cancel()
	r.started.Wait()
	c.mu.Lock()
	for _, f := range c.follows {
		f.running = false
		f.set(false)
	}
	c.mu.Unlock()
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// replies is one run of Replies.
type replies struct {
	*Channel
	desk    notify.Desk
	started sync.WaitGroup
	keeping sync.Mutex // so that nothing older is kept later
}

// restore takes up the topics that were followed before.
func (r *replies) restore(ctx context.Context) error {
	place, err := r.desk.Place(ctx)
	if err != nil {
		return err
	}
	var kept []*follow
	if place != "" && json.Unmarshal([]byte(place), &kept) != nil {
		kept = nil // what another version kept: the topics come back with the next note
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range kept {
		account := f.Address.account()
		if now := r.follows[account]; now != nil { // its address is the newer one
			now.Since = f.Since
			continue
		}
		f.ready = make(chan struct{})
		r.follows[account] = f
	}
	r.awake()
	return nil
}

// run starts to follow what is new, and keeps it.
func (r *replies) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.wake:
		}
		if err := r.keep(ctx); err != nil {
			return err
		}
		r.mu.Lock()
		for account, f := range r.follows {
			if !f.running {
				f.running = true
				r.started.Go(func() { r.follow(ctx, account, f) })
			}
		}
		r.mu.Unlock()
	}
}

// keep keeps all topics with the desk, except those that nobody was sent to for long.
func (r *replies) keep(ctx context.Context) error {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	r.mu.Lock()
	today := r.opts.Now().Unix() / 86400
	all := []*follow{}
	for _, account := range sorted(r.follows) {
		if f := r.follows[account]; today-f.Used < forget || f.running {
			all = append(all, f)
		} else {
			delete(r.follows, account)
		}
	}
	place, err := json.Marshal(all)
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return r.desk.Keep(ctx, string(place))
}

// follow follows one topic, again and again.
func (r *replies) follow(ctx context.Context, account string, f *follow) {
	pause := time.Second
	for ctx.Err() == nil {
		opened, err := r.stream(ctx, account, f)
		r.mu.Lock()
		f.set(false)
		server := f.Address.Server
		r.mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		if opened {
			pause = time.Second
		}
		r.opts.Log.Warn("the topic for answers is read again in a moment", "server", server, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		pause = min(2*pause, 5*time.Minute)
	}
}

// set says whether the topic is followed. The lock is held.
func (f *follow) set(ready bool) {
	switch {
	case ready && !f.isReady:
		close(f.ready)
	case !ready && f.isReady:
		f.ready = make(chan struct{})
	}
	f.isReady = ready
}

// stream reads a topic until the server ends it.
func (r *replies) stream(ctx context.Context, account string, f *follow) (opened bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()

	r.mu.Lock()
	a, since := f.Address, f.Since
	r.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.Server+"/"+a.Answers+"/json?since="+url.QueryEscape(since), nil)
	if err != nil {
		return false, err
	}
	r.sign(req, &a)
	res, err := r.opts.Stream.Do(req)
	if err != nil {
		return false, bare(err)
	}
	defer res.Body.Close()
	if err := judge(&a, res, r.opts.Now()); err != nil {
		return false, err
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 256<<10)
	for lines.Scan() {
		quiet.Reset(silence)
		var e struct{ ID, Event, Message string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			return opened, fmt.Errorf("ntfy: %s sends something else than messages", a.Server)
		}
		switch e.Event {
		case "open":
			opened = true
			r.mu.Lock()
			f.set(true)
			r.mu.Unlock()
		case "message":
			if err := r.take(ctx, account, f, e.ID, e.Message); err != nil {
				return opened, err
			}
		}
	}
	return opened, lines.Err()
}

// take brings a message to the desk, and goes on behind it.
func (r *replies) take(ctx context.Context, account string, f *follow, id, data string) error {
	if wellFormed(data) {
		reply, err := r.desk.Press(ctx, account, data)
		if err != nil {
			return err
		}
		if !reply.Done {
			r.tell(ctx, f, reply.Text)
		}
	}
	r.mu.Lock()
	f.Since = id
	r.mu.Unlock()
	return r.keep(ctx)
}

// wellFormed reports whether a message can be the data of a button. Everybody can write
// to the topic.
func wellFormed(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
		default:
			return false
		}
	}
	return s != "" && len(s) <= most
}

// tell says why a press was of no use, but not too often: whoever can write to the
// topic must not be able to ring the phone.
func (r *replies) tell(ctx context.Context, f *follow, text string) {
	r.mu.Lock()
	a, now := f.Address, r.opts.Now()
	often := now.Sub(f.told) < r.Channel.often
	if !often {
		f.told = now
	}
	r.mu.Unlock()
	if often || text == "" {
		return
	}
	body, err := json.Marshal(&message{Topic: a.Topic, Title: "sayso", Message: fit(text, maxMessage), Priority: quietly, Sequence: "reply"})
	if err == nil {
		_, err = r.request(ctx, &a, http.MethodPost, "/", body)
	}
	if err != nil {
		r.opts.Log.Warn("a reply was not sent", "server", a.Server, "error", err)
	}
}

func sorted(m map[string]*follow) []string { return slices.Sorted(maps.Keys(m)) }
