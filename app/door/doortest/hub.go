package doortest

import (
	"context"
	"errors"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// person is the one whose home it is, at the hub's socket.
type person struct {
	hub  *client.Client
	seen []string // asks that Asked has returned
}

func (w *World) me() *person {
	if w.person == nil {
		o := &client.Options{Surface: "test", Patience: Patience}
		o.Pause.Max = 200 * time.Millisecond
		c, err := client.New(w.socket, o)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(c.Close)
		w.person = &person{hub: c}
	}
	return w.person
}

// Hub is a client of the world's hub, as the person whose home it is. It does
// not start the hub, but waits for it.
func (w *World) Hub() *client.Client { return w.me().hub }

// Asked waits until something is asked that Asked has not returned before.
func (w *World) Asked() *hub.Ticket {
	w.t.Helper()
	var found *hub.Ticket
	until(w.t, "a question", func() bool {
		for _, t := range w.list(sayso.StatusPending) {
			if !slices.Contains(w.me().seen, t.Handle) {
				found = t
				w.me().seen = append(w.me().seen, t.Handle)
				return true
			}
		}
		return false
	})
	return found
}

// Closed waits until the ask is closed and returns what became of it.
func (w *World) Closed(asked *hub.Ticket) *sayso.Outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	t, err := w.Hub().Await(ctx, asked)
	if err != nil {
		w.t.Fatalf("waiting for the end of ask %s: %v", asked.Handle, err)
	}
	return t.Outcome
}

// All returns every ask that the hub has, open or closed.
func (w *World) All() []*hub.Ticket {
	w.t.Helper()
	return w.list(hub.AnyStatus)
}

func (w *World) list(s sayso.Status) []*hub.Ticket {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	page, err := w.Hub().List(ctx, &hub.Filter{Status: s, Limit: 1000})
	if err != nil {
		w.t.Fatalf("listing what is asked: %v", err)
	}
	return page.Tickets
}

// Answer answers an ask, each of its questions with one text: the label of an
// option, or words of one's own. An empty text leaves a question unanswered.
func (w *World) Answer(asked *hub.Ticket, texts ...string) {
	w.t.Helper()
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i, q := range asked.Ask.Questions {
		a := sayso.Answer{QuestionID: q.ID}
		switch at := slices.IndexFunc(q.Options, func(o sayso.Option) bool { return i < len(texts) && o.Label == texts[i] }); {
		case i >= len(texts) || texts[i] == "":
			a.Unanswered = sayso.ReasonSkipped
		case at >= 0:
			a.Selected = []string{q.Options[at].ID}
		default:
			a.Other = texts[i]
		}
		o.Answers = append(o.Answers, a)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), Patience)
	defer cancel()
	if _, err := w.Hub().Answer(ctx, asked, o); err != nil {
		w.t.Fatalf("answering ask %s: %v", asked.Handle, err)
	}
}

// KillHub kills the hub with SIGKILL and has a sayso command start the next one.
func (w *World) KillHub() {
	w.t.Helper()
	if err := w.tryKillHub(); err != nil {
		w.t.Fatalf("killing the hub: %v", err)
	}
	w.StartHub()
}

// StartHub has a sayso command start the hub where it does not run.
func (w *World) StartHub() {
	w.t.Helper()
	w.Run(w.Env(), w.Sayso, "list")
}

func (w *World) tryKillHub() error {
	pid, err := w.hubPID()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	until(w.t, "the end of the hub", func() bool {
		now, err := w.hubPID()
		return err != nil || now != pid // somebody who waits may have started the next
	})
	return nil
}

// hubPID returns the process that listens on the hub's socket.
func (w *World) hubPID() (int, error) {
	conn, err := net.Dial("unix", w.socket)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *syscall.Ucred
	var err2 error
	err = raw.Control(func(fd uintptr) {
		peer, err2 = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, err2); err != nil {
		return 0, err
	}
	return int(peer.Pid), nil
}
