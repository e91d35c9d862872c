package notifytest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// Target is a channel under test, with a device at its other end.
type Target struct {
	Channel notify.Channel
	Contact notify.Contact // where the device is; its detail is set by the test

	// Seen returns what the device shows at this moment, and what was sent since the
	// last call.
	Seen func() View

	// Clear takes everything off the device, before the next note of another kind comes.
	// Default: nothing, as the channel takes away what is over.
	Clear func()

	// Active returns what works that an asker wrote: markup, mentions, links that are
	// not in View.Links. It looks at the wire as the service at the other end would.
	// Default: the service knows plain text only.
	Active func(View) []string

	// Stays says that nothing can be taken back, as with mail: a note that is over
	// leaves what was there, and shows nothing else.
	Stays bool

	// Sealed says that the channel never draws a button that would show more of a note
	// later. Default: it does if its limits allow the text.
	Sealed bool

	// Loose says that the device shows less than the text of a note. Default: all
	// of it, apart from white space.
	Loose bool
}

// View is what there is to see of all notes.
type View struct {
	Lock     []string // texts on the locked screen, as a person reads them
	Unlocked []string // texts on the unlocked screen, with buttons; may have those of the locked one
	Buttons  int      // of the latest note
	Links    []string // what can be opened, by a button or by the note itself
	Wire     []byte   // what was sent, decoded as far as it was encoded or encrypted: text
}

// Run puts the corpus through the channel, with every level of detail.
func Run(t *testing.T, target *Target) {
	t.Helper()
	for _, h := range Corpus() {
		t.Run(h.Name, func(t *testing.T) {
			for _, problem := range problems(t.Context(), target, h) {
				t.Error(problem)
			}
		})
	}
}

// problems returns what is wrong, at most a few.
func problems(ctx context.Context, target *Target, h Hostile) []string {
	var all []string
	for d := notify.DetailCount; d <= notify.DetailText; d++ {
		c := target.Contact
		c.Detail = d
		for i, steps := range target.scenes(&c, limits(target.Channel), h) {
			if target.Clear != nil {
				target.Clear()
			}
			where := ""
			for _, s := range steps {
				name := fmt.Sprintf("detail %d, scene %d, %s: ", d, i, s.name)
				to, err := target.Channel.Put(ctx, &c, s.note, where)
				if err != nil {
					return append(all, name+"Put: "+err.Error())
				}
				for _, p := range target.judge(s, target.Seen(), where, to) {
					all = append(all, name+p)
				}
				where = to
			}
			if len(all) > 5 {
				return append(all, "and more")
			}
		}
	}
	return all
}

func limits(c notify.Channel) notify.Limits {
	if l, ok := c.(notify.Limited); ok {
		return l.Limits()
	}
	return notify.Limits{}
}

// scenes are one ask, several, and askers that want more or less to be shown.
func (target *Target) scenes(c *notify.Contact, l notify.Limits, h Hostile) [][]step {
	key := func(i int) string { return fmt.Sprintf("k%dd%d", i, c.Detail) }
	out := [][]step{
		target.scene(c, l, h, key(0), []*hub.Ticket{ticket(h, "a")}, notify.DetailText),
		target.scene(c, l, h, key(1), []*hub.Ticket{ticket(h, "b"), ticket(h, "c"), ticket(h, "d")}, notify.DetailSender),
	}
	if h.Name != "plain" {
		return out
	}
	lower, raise, secret := ticket(h, "e"), ticket(h, "f"), ticket(h, "g")
	lower.Ask.Metadata = map[string]any{sayso.MetadataNotify: "count"}
	raise.Ask.Metadata = map[string]any{sayso.MetadataNotify: "text"}
	secret.Ask.Questions[0].Secret = true
	return append(out,
		target.scene(c, l, h, key(2), []*hub.Ticket{lower}, notify.DetailCount),
		target.scene(c, l, h, key(3), []*hub.Ticket{raise}, c.Detail),
		target.scene(c, l, h, key(4), []*hub.Ticket{secret}, notify.DetailSender))
}

// judge compares what is seen with what the note says and the detail allows.
func (target *Target) judge(s step, v View, from, to string) []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	n := s.note

	for i, text := range slices.Concat([]string{string(v.Wire)}, v.Lock, v.Unlocked) {
		if what := unsafe(text, i == 0); what != "" {
			bad("%s in %q", what, around(text, what))
		}
	}
	if target.Active != nil {
		for _, what := range target.Active(v) {
			bad("it works: %.200q", what)
		}
	}
	for _, link := range v.Links {
		if !strings.HasPrefix(link, inbox) {
			bad("it links to %.200q", link)
		}
	}

	says := n.Title + "\n" + n.Body + "\n" + n.Text
	for _, b := range n.Buttons {
		says += "\n" + b.Label
	}
	said := found(says)
	for mark := range found(string(v.Wire)) {
		if !said[mark] {
			bad("%s is sent, and the note does not have it", mark)
		}
	}
	if !target.Stays || !n.Over { // what stays was judged when it came
		for mark := range found(strings.Join(v.Unlocked, "\n")) {
			if !said[mark] {
				bad("%s is shown, and the note does not have it", mark)
			}
		}
		may := lockMay(s, said)
		for mark := range found(strings.Join(v.Lock, "\n")) {
			if !may[mark] {
				bad("%s is on the lock screen", mark)
			}
		}
	}

	l := limits(target.Channel)
	if v.Buttons > len(n.Buttons) || v.Buttons > l.Buttons {
		bad("%d buttons, the note has %d and the channel at most %d", v.Buttons, len(n.Buttons), l.Buttons)
	}
	if len(to) > 256 {
		bad("its place has %d bytes", len(to))
	}
	switch {
	case n.Over && target.Stays:
		if len(v.Wire) > 0 {
			bad("something is sent when it is over")
		}
	case n.Over && to == "":
		if len(v.Lock)+len(v.Unlocked) > 0 {
			bad("it is over, and still seen: %.200q", append(v.Lock, v.Unlocked...))
		}
	case n.Text != "" && !target.Loose:
		if seen := strings.Join(v.Unlocked, ""); !strings.Contains(squeeze(seen), squeeze(n.Text)) {
			bad("the text is not shown as it is: %.300q", seen)
		}
	case !n.Over && len(v.Wire) == 0:
		bad("nothing was sent")
	}
	return out
}

// lockMay returns the marks that may be seen on a locked screen.
func lockMay(s step, said map[string]bool) map[string]bool {
	may := make(map[string]bool)
	switch s.lower {
	case notify.DetailSender:
		may[inAgent] = true
	case notify.DetailText:
		may = said
	}
	if s.note.Over {
		may[inPerson] = true // who answered
	}
	return may
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
