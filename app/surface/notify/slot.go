package notify

import (
	"crypto/rand"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// slot is a place at a contact that shows one note, about one ask or several. It is
// written before the note is sent, and again afterwards.
type slot struct {
	Told
	Token   string   `json:"token"`
	Digests []string `json:"digests,omitempty"` // of what was shown, by ask
	Options []string `json:"options,omitempty"` // ids, in the order shown: a button says which, and no label
	Subject string   `json:"subject,omitempty"` // the ask that the token is for, if it can be answered
	Opened  bool     `json:"opened,omitempty"`  // the person wanted to see the whole ask
	Prompts []string `json:"prompts,omitempty"` // where own words were asked for
	Shown   string   `json:"shown,omitempty"`   // sum of what is shown

	Sending  time.Time `json:"sending,omitzero"`   // a note is being sent since then, or was when the process ended
	Alerting bool      `json:"alerting,omitempty"` // it makes itself noticed
	Doubt    bool      `json:"doubt,omitempty"`    // nobody knows whether the last round arrived
	Done     bool      `json:"done,omitempty"`     // nothing is left to show

	id       string
	revision uint64
	busy     bool // this process sends it
}

func newSlot(contact, id string) *slot {
	return &slot{Told: Told{Contact: contact}, Token: rand.Text(), id: id}
}

// askSlot names the slot of a single ask.
func askSlot(a hub.Address) string {
	return "a" + hashed(a.Tenant, a.Person, a.Asker, a.Conversation, a.ID)
}

func (s *slot) address(c *Contact) hub.Address {
	return hub.Address{Tenant: c.Tenant, Person: c.Person, Conversation: s.Contact, ID: s.id}
}

// key names the note to the channel.
func (s *slot) key(c *Contact) string { return hashed(c.Tenant, c.Person, s.Contact, s.id) }

// group reports whether the slot is for several asks.
func (s *slot) group() bool { return s.id[0] == 'g' }

// clone returns a copy that can be changed.
func (s *slot) clone() *slot {
	c := *s
	c.Asks, c.Digests, c.Options, c.Prompts = slices.Clone(s.Asks), slices.Clone(s.Digests), slices.Clone(s.Options), slices.Clone(s.Prompts)
	return &c
}

// bind gives the slot another token if its buttons answer another ask from now on: a
// press that is still on its way must not reach that one.
func (s *slot) bind(open []*hub.Ticket) {
	if len(open) != 1 {
		return
	}
	subject := askSlot(open[0].Address)
	if s.Subject != "" && s.Subject != subject {
		s.Token, s.Opened = rand.Text(), false
	}
	s.Subject = subject
}

// about sets what the slot is about.
func (s *slot) about(tickets []*hub.Ticket) {
	s.Asks, s.Digests, s.Options = nil, nil, nil
	for _, t := range tickets {
		s.Asks, s.Digests = append(s.Asks, t.Address), append(s.Digests, t.Digest)
	}
	if len(tickets) == 1 {
		for _, o := range tickets[0].Ask.Questions[0].Options {
			s.Options = append(s.Options, o.ID)
		}
	}
}

// gaveUp reports whether the note will never be shown: the channel said so. A new one
// about the same ask would fare no better.
func (s *slot) gaveUp() bool { return s.Done && s.Error != "" }
