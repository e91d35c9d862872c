package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// picks are the approvals that are selected to be decided together.
type picks struct {
	on   bool
	kind sayso.ApprovalKind
	all  []*hub.Ticket
}

// of reports whether an ask can be selected, and whether it is.
func (p *picks) of(i hub.Item) (can, is bool) {
	if !p.on || !p.takes(i.Ticket) {
		return false, false
	}
	return true, slices.ContainsFunc(p.all, func(t *hub.Ticket) bool { return t.Address == i.Address })
}

// takes reports whether an ask is an approval of the kind that can be decided with
// others: once, without danger.
func (p *picks) takes(t *hub.Ticket) bool {
	a := t.Ask.Approval
	danger, _ := t.Ask.Marks()
	return a != nil && t.Open() && t.Held == nil && !danger && a.Kind == p.kind && a.AllowOnce() != nil && a.DenyOnce() != nil
}

// pressPicks begins to select approvals, selects one, or shows all of them.
func (b *Inbox) pressPicks(k string, i hub.Item) tea.Cmd {
	p := &b.picks
	switch {
	case !p.on && i.Ask.Approval == nil:
		if len(b.identical(i.Ticket)) == 0 {
			b.notice, b.sent = b.o.Words.NothingSame, false
			return nil
		}
		cmd := b.open(i.Ticket, nil)
		return tea.Batch(cmd, b.together(b.dialog.forms[0]))
	case !p.on:
		p.on, p.kind, p.all = true, i.Ask.Approval.Kind, nil
		b.cur = i.Address
		if p.takes(i.Ticket) {
			p.all = []*hub.Ticket{i.Ticket}
		}
	case k == "space":
		can, is := p.of(i)
		switch {
		case !can:
			b.notice, b.sent = b.o.Words.OtherKind, false
		case is:
			p.all = slices.DeleteFunc(p.all, func(t *hub.Ticket) bool { return t.Address == i.Address })
		default:
			p.all = append(p.all, i.Ticket)
		}
	case len(p.all) == 0:
		b.notice, b.sent = b.o.Words.say(b.o.Words.TickFirst, b.o.Words.KeySpace), false
	default:
		return b.beginBatch()
	}
	return nil
}
