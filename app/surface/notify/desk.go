package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// desk takes what people do at one channel.
type desk struct {
	n    *Notifier
	kind Kind
}

func (d *desk) placeAddress() hub.Address {
	return hub.Address{Tenant: common, Conversation: isPlace, ID: string(d.kind)}
}

func (d *desk) Place(ctx context.Context) (string, error) {
	var place string
	_, _, err := d.n.record(ctx, hub.KindNotify, d.placeAddress(), &place)
	return place, err
}

func (d *desk) Keep(ctx context.Context, place string) error {
	_, _, err := change[string](ctx, d.n, hub.KindNotify, d.placeAddress(), 0, func(v *string, _ bool) bool {
		changed := *v != place
		*v = place
		return changed
	})
	return err
}

const (
	notYours = "This account is not linked to sayso. Link it with a code from the inbox."
	badCode  = "This code does not hold, or no longer. Get a new one: sayso notify add "
	oldNote  = "This button is out of date. Open the inbox, or wait for the next notification."
)

func (d *desk) Press(ctx context.Context, account, data string) (*Reply, error) {
	c, err := d.contact(ctx, account)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return &Reply{Text: notYours}, nil
	}
	token, verb, ok := strings.Cut(data, ".")
	if !ok || len(token) < 20 || len(data) > 32 {
		return &Reply{Text: oldNote}, nil
	}
	s, err := d.find(ctx, c, func(s *slot) bool { return s.Token == token })
	if err != nil {
		return nil, err
	}
	if s == nil {
		return &Reply{Text: oldNote}, nil
	}
	d.arrived(ctx, c)
	if verb == "y" && s.Test {
		if err := d.n.Confirm(ctx, c.Tenant, c.Person, c.ID); err != nil {
			return nil, err
		}
		return &Reply{Text: "Thank you. Notifications arrive here.", Done: true}, nil
	}
	t, err := d.open(ctx, s)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return &Reply{Text: oldNote}, nil
	}
	switch verb {
	case "s":
		err := d.update(ctx, c, s, func(s *slot) { s.Opened = true })
		return &Reply{Done: true}, err
	case "w":
		if !t.Open() {
			return &Reply{Text: Closing(t)}, nil
		}
		if why := unanswerable(c, t); why != "" {
			return &Reply{Text: why + " Answer it in the inbox."}, nil
		}
		return d.words(s, t), nil
	case "u":
		return d.undo(ctx, c, s, t)
	case "m":
		return d.mute(ctx, c, t)
	}
	i, err := strconv.Atoi(verb)
	if err != nil || i < 0 || i >= len(s.Options) || strconv.Itoa(i) != verb {
		return &Reply{Text: oldNote}, nil
	}
	if len(t.Ask.Questions) != 1 {
		return &Reply{Text: "It has several questions. Answer it in the inbox."}, nil
	}
	return d.answer(ctx, c, s, t, verb, sayso.Answer{QuestionID: t.Ask.Questions[0].ID, Selected: []string{s.Options[i]}})
}

// arrived notes that notes arrive at the contact: somebody reacted to one.
func (d *desk) arrived(ctx context.Context, c *Contact) {
	if d.n.opts.Now().Sub(c.Confirmed) > time.Hour {
		d.n.Confirm(ctx, c.Tenant, c.Person, c.ID)
	}
}

// open returns the one ask of a slot that is open, or the only one; nil if it cannot
// be told which one is meant. Its digest is that of what was shown.
func (d *desk) open(ctx context.Context, s *slot) (*hub.Ticket, error) {
	var one *hub.Ticket
	open := 0
	for i, a := range s.Asks {
		t, err := d.n.hub.Get(ctx, a)
		if errors.Is(err, hub.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		seen := *t
		if i < len(s.Digests) {
			seen.Digest = s.Digests[i]
		}
		if t.Open() {
			open++
			one = &seen
		} else if one == nil && len(s.Asks) == 1 {
			one = &seen
		}
	}
	if open > 1 {
		return nil, nil
	}
	return one, nil
}

// answer closes an ask, as the person of the contact.
func (d *desk) answer(ctx context.Context, c *Contact, s *slot, seen *hub.Ticket, what string, a sayso.Answer) (*Reply, error) {
	if why := unanswerable(c, seen); why != "" {
		return &Reply{Text: why + " Answer it in the inbox."}, nil
	}
	q := seen.Ask.Question(a.QuestionID)
	if q == nil {
		return &Reply{Text: oldNote}, nil
	}
	if why := notFromHere(seen, &a); why != "" {
		return &Reply{Text: why}, nil
	}
	if !d.shownWhole(c, s, seen) {
		return &Reply{Text: "The question was not shown here in full. Nothing was sent. Answer it in the inbox."}, nil
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{a}, By: c.responder()}
	if len(seen.Ask.Dangerous(o.Answers)) > 0 {
		return &Reply{Text: "You can choose a dangerous option only in the inbox."}, nil
	}
	// The same press again, after a crash, is the same close; and a press that comes
	// again after the answer was taken back does not give it again.
	t, err := d.n.hub.Close(ctx, seen, o, &hub.CloseOptions{Nonce: hashed(s.Token, what, fmt.Sprint(a.Selected), a.Other)})
	var closed *hub.ClosedError
	var changed *hub.ChangedError
	var invalid *sayso.InvalidError
	switch {
	case err == nil:
		d.know(c, t)
		text := "Sent: " + said(q, a) + "."
		if isApproval(t) {
			text = denied(q, a)
		} else if a.Other != "" && len(q.Options) > 0 {
			text = "Sent as your own words: " + said(q, a) + "."
		}
		return &Reply{Text: text, Done: true, Stored: true}, nil
	case errors.As(err, &closed):
		d.know(c, closed.Ticket)
		return &Reply{Text: Closing(closed.Ticket) + " Nothing was sent from here."}, nil
	case errors.As(err, &changed):
		return &Reply{Text: "The question has changed since it was shown here. Nothing was sent. Open the inbox."}, nil
	case errors.As(err, &invalid):
		return &Reply{Text: "This does not answer the question: " + cut(sayso.SafeLine(invalid.Error()), 200)}, nil
	case errors.Is(err, hub.ErrUndone):
		return &Reply{Text: "You have taken this answer back. Press the button of the question as it is shown now."}, nil
	case errors.Is(err, hub.ErrAssurance):
		return &Reply{Text: "It needs a stronger sign-in. Answer it in the inbox."}, nil
	case errors.Is(err, hub.ErrNotAllowed):
		return &Reply{Text: "You may not answer this question."}, nil
	case errors.Is(err, hub.ErrNotFound):
		return &Reply{Text: "This question is no longer there."}, nil
	}
	return nil, err
}

// shownWhole reports whether the note has the whole ask, with its buttons: data of a
// button that was never there can be made from that of another one.
func (d *desk) shownWhole(c *Contact, s *slot, t *hub.Ticket) bool {
	l, _ := d.n.limits(d.kind)
	opened := l.Behind || s.Opened || detailOf(c, []*hub.Ticket{t}) == DetailText
	if isApproval(t) { // a denial needs no more than the summary
		return opened
	}
	return opened && l.size(Whole(t)) <= l.Text && len(t.Ask.Questions[0].Options) <= l.Buttons-2
}

// said is an answer in a few words.
func said(q *sayso.Question, a sayso.Answer) string {
	var parts []string
	for _, id := range a.Selected {
		if o := q.Option(id); o != nil {
			parts = append(parts, sayso.SafeLine(o.Label))
		}
	}
	if a.Other != "" {
		parts = append(parts, sayso.SafeLine(a.Other))
	}
	return cut(strings.Join(parts, ", "), 120)
}

func (d *desk) undo(ctx context.Context, c *Contact, s *slot, seen *hub.Ticket) (*Reply, error) {
	if seen.Open() && seen.Held == nil {
		return &Reply{Text: "The question waits for you.", Done: true}, nil
	}
	t, err := d.n.hub.Undo(ctx, seen, c.responder())
	var closed *hub.ClosedError
	switch {
	case err == nil:
		d.know(c, t)
		return &Reply{Text: "Taken back. The question waits for you again.", Done: true}, nil
	case errors.Is(err, hub.ErrConsumed):
		return &Reply{Text: "The agent has the answer already. It cannot be taken back."}, nil
	case errors.As(err, &closed):
		return &Reply{Text: Closing(closed.Ticket)}, nil
	case errors.Is(err, hub.ErrNotAllowed), errors.Is(err, hub.ErrNotFound):
		return &Reply{Text: "It cannot be taken back from here."}, nil
	}
	return nil, err
}

// mute keeps the agent of an ask quiet for an hour.
func (d *desk) mute(ctx context.Context, c *Contact, t *hub.Ticket) (*Reply, error) {
	name := t.Ask.Origin.ClaimedName()
	if name == "" {
		return &Reply{Text: "The agent has no name. Mute everything with: sayso notify mute 1h"}, nil
	}
	now := d.n.opts.Now().UTC()
	err := d.n.SetPrefs(ctx, c.Tenant, c.Person, func(p *Prefs) {
		p.Mutes = slices.DeleteFunc(p.Mutes, func(m Mute) bool {
			return m.Agent == name && m.Workspace == "" || !m.Until.IsZero() && m.Until.Before(now)
		})
		p.Mutes = append(p.Mutes, Mute{Agent: name, Until: now.Add(time.Hour)})
	})
	if err != nil {
		return nil, err
	}
	return &Reply{Text: cut(name, 60) + " is muted for an hour. Its questions stay in the inbox.", Done: true}, nil
}

func (d *desk) Say(ctx context.Context, account string, to Place, text string) (*Reply, error) {
	c, err := d.contact(ctx, account)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return &Reply{Text: notYours}, nil
	}
	s, err := d.meant(ctx, c, to)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return &Reply{Text: "Reply to the question that you mean. This text was not sent."}, nil
	}
	t, err := d.open(ctx, s)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return &Reply{Text: "It is about several questions, or none. Open the inbox. This text was not sent."}, nil
	}
	d.arrived(ctx, c)
	if why := unanswerable(c, t); why != "" {
		return &Reply{Text: why + " Answer it in the inbox."}, nil
	}
	if l, _ := d.n.limits(d.kind); !l.Behind && !s.Opened && detailOf(c, []*hub.Ticket{t}) < DetailText {
		return &Reply{Text: sayso.ByAskKind(t.Ask, "Press “Show the question” first.", "Press “Show the request” first.") + " This text was not sent."}, nil
	}
	if sayso.Blank(text) {
		return &Reply{Text: "This text is empty. Nothing was sent."}, nil
	}
	q := &t.Ask.Questions[0]
	a, err := q.Match([]string{text}, &sayso.MatchOptions{Numbers: true})
	if err != nil {
		return &Reply{Text: "Two options could be meant. Press a button, or write more of the label. This text was not sent."}, nil
	}
	a.QuestionID = q.ID
	return d.answer(ctx, c, s, t, "say", a)
}

// meant returns what a text is for; nil if that cannot be told.
func (d *desk) meant(ctx context.Context, c *Contact, to Place) (*slot, error) {
	switch {
	case to.Token != "":
		return d.find(ctx, c, func(s *slot) bool { return s.Token == to.Token })
	case to.Where != "":
		return d.find(ctx, c, func(s *slot) bool { return s.Where == to.Where || slices.Contains(s.Prompts, to.Where) })
	}
	all, err := d.slots(ctx, c)
	if err != nil {
		return nil, err
	}
	var only *slot
	for _, s := range all {
		if s.Done || s.Over || s.Test {
			continue
		}
		if only != nil {
			return nil, nil
		}
		only = s
	}
	return only, nil
}

func (d *desk) Prompted(ctx context.Context, account, token, where string) error {
	c, err := d.contact(ctx, account)
	if err != nil || c == nil {
		return err
	}
	s, err := d.find(ctx, c, func(s *slot) bool { return s.Token == token })
	if err != nil || s == nil {
		return err
	}
	return d.update(ctx, c, s, func(s *slot) {
		if !slices.Contains(s.Prompts, where) {
			s.Prompts = append(s.Prompts[max(0, len(s.Prompts)-4):], where)
		}
	})
}
