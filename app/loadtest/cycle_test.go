package loadtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// load is askers and persons that go through whole cycles: a question is asked,
// the person's stream tells it, the person answers, the asker has the answer and
// says so.
type load struct {
	t       *testing.T
	keys    keyring
	at      func(i int) string // the gateway of the i-th asker and person
	askers  int
	persons int  // with an open stream each
	four    bool // asks, waits and takes the answer in three requests, as versions before must
	name    string

	streams sync.WaitGroup
	open    []*follower
	ended   atomic.Bool
	number  atomic.Int64
	retries int // of requests that met no hub or no store
}

// subjects makes the keys that a load needs.
func subjects(askers, persons int) keyring {
	k := newKeyring()
	for i := range askers {
		k.add("asker", asker(i))
	}
	for i := range persons {
		k.add("answerer", person(i))
	}
	return k
}

// attend opens the streams of the persons, who answer what they are asked.
func (l *load) attend() {
	l.t.Helper()
	l.name = fmt.Sprintf("x%x", time.Now().UnixNano())
	for i := range l.persons {
		f, err := follow(l.at(i/2), l.keys.of(person(i)), "/v1/events")
		must(l.t, err)
		_, err = f.ready()
		must(l.t, err)
		l.open = append(l.open, f)
		l.streams.Go(func() { l.answer(f, i) })
	}
	l.t.Cleanup(l.leave)
}

// leave closes the streams.
func (l *load) leave() {
	l.ended.Store(true)
	for _, f := range l.open {
		f.conn.Close()
	}
	l.streams.Wait()
	l.open = nil
}

// answer is a person: the answer to a question is its id.
func (l *load) answer(f *follower, i int) {
	c := newCaller(l.at(i/2), l.keys.of(person(i)))
	defer c.close()
	for {
		e, err := f.next()
		if err != nil {
			if !l.ended.Load() {
				l.t.Errorf("the stream of %s: %v", person(i), err)
			}
			return
		}
		var t ticket
		if e.name != "ask" {
			continue
		}
		if err := json.Unmarshal(e.data, &t); err != nil {
			l.t.Error(err)
			return
		}
		if t.Status != "pending" {
			continue
		}
		body := fmt.Appendf(nil, `{"digest":%q,"surface":"load","answers":[{"questionId":"q","other":%q}]}`, t.Digest, t.Ask.ID)
		if err := c.do("PUT", "/v1/asks/"+t.ID+"/answer", body, nil); err != nil && !l.ended.Load() {
			l.t.Error(err)
		}
	}
}

// cycle asks a person, and checks that the answer is to this question.
func (l *load) cycle(c *caller, person string, id string) error {
	var t ticket
	path := "/v1/asks?wait=60s&consume=1"
	final := `"final":true,`
	if l.four {
		path, final = "/v1/asks", ""
	}
	body := fmt.Appendf(nil, `{"id":%q,%s"to":[%q],"origin":{"conversation":%q},"questions":[{"id":"q","header":"Database","text":"Which database?",`+
		`"options":[{"id":"pg","label":"PostgreSQL","description":"a server"},{"id":"lite","label":"SQLite","description":"a file"}]}]}`,
		id, final, person, l.name+c.key[len(c.key)-8:])
	err := c.do("POST", path, body, &t)
	for err == nil && t.Status == "pending" { // also when the outcome took longer than a request waits
		err = c.do("GET", "/v1/asks/"+t.ID+"?wait=60s", nil, &t)
		if err == nil && t.Status != "pending" {
			err = c.do("POST", "/v1/asks/"+t.ID+"/consumed", nil, &t)
		}
	}
	switch {
	case err != nil:
		return err
	case t.Status != "answered" || t.Outcome == nil || len(t.Outcome.Answers) != 1:
		return fmt.Errorf("ask %s is %s", id, t.Status)
	case t.Outcome.Answers[0].Other != id:
		return errors.New("ask " + id + " has the answer of " + t.Outcome.Answers[0].Other)
	}
	return nil
}

// run has all askers at work for a while, and returns how long each cycle took. With
// pause, an asker begins a cycle that often at most.
func (l *load) run(d, pause time.Duration) (took times, elapsed time.Duration) {
	l.t.Helper()
	var mu sync.Mutex
	var work sync.WaitGroup
	start := time.Now()
	for k := range l.askers {
		work.Go(func() {
			c := newCaller(l.at(k), l.keys.of(asker(k)))
			defer c.close()
			var own times
			begin := start.Add(pause * time.Duration(k) / time.Duration(l.askers))
			for i := 0; !l.t.Failed(); i++ {
				<-time.After(time.Until(begin))
				at := time.Now()
				if at.Sub(start) >= d {
					break
				}
				id := fmt.Sprintf("%s-%d", l.name, l.number.Add(1))
				if err := l.cycle(c, person((k+i*l.askers)%l.persons), id); err != nil {
					l.t.Error(err)
				}
				own = append(own, time.Since(at))
				if begin = begin.Add(pause); begin.Before(at) && pause > 0 {
					begin = at
				}
			}
			mu.Lock()
			l.retries += c.retries
			took = append(took, own...)
			mu.Unlock()
		})
	}
	work.Wait()
	return took, time.Since(start)
}
