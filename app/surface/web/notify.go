package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// Notifier is what the site needs of a [notify.Notifier].
type Notifier interface {
	Contacts(ctx context.Context, tenant, person string) ([]notify.Contact, error)
	Add(ctx context.Context, c *notify.Contact) (*notify.Contact, error)
	Change(ctx context.Context, tenant, person, id string, change func(*notify.Contact)) (*notify.Contact, error)
	Remove(ctx context.Context, tenant, person, id string) error
	RemoveSession(ctx context.Context, tenant, person, session string) error
	NewCode(ctx context.Context, tenant, person string, kind notify.Kind, template *notify.Contact) (string, error)
	Test(ctx context.Context, tenant, person, id string) (*notify.TestResult, error)
	Confirm(ctx context.Context, tenant, person, id string) error
	Prefs(ctx context.Context, tenant, person string) (*notify.Prefs, error)
	SetPrefs(ctx context.Context, tenant, person string, change func(*notify.Prefs)) error
	Attend(tenant, person string, ask hub.Address)
}

var _ Notifier = (*notify.Notifier)(nil)

// Pusher is what browsers subscribe with: a webpush.Channel is one.
type Pusher interface {
	PublicKey() string
	Address(subscription []byte, origin, userAgent string) (json.RawMessage, error)
}

// Account is a service at which people can link an account of theirs.
type Account struct {
	Kind notify.Kind
	Name string // such as Telegram
	Do   string // what to do with the code there: "Send this message to @my_bot:"

	// Text is what to send there, and Link an address that does it; both for a code,
	// and either may be nil.
	Text, Link func(code string) string
}

// notifications is the page of where and when a person is told.
type notifications struct {
	Push    bool // browsers can subscribe
	Key     string
	Here    *device // this browser; nil: it is not told
	Devices []device
	Mutes   []mute
	Until   string // everything is muted until then
	Quiet   notify.Quiet
	IsQuiet bool
	Shared  bool // what the person wants of asks to everybody
	Team    bool // the hub has more people than one
	Agents  []string
	Link    []Account
	Code    *linkCode
	Tested  *device
	Notice  string
	Problem string
}

// device is one row: a device, or an account somewhere.
type device struct {
	notify.Contact
	Where  string // what it is, in words
	State  string // in words
	Bad    bool
	IsHere bool
}

type mute struct{ Agent, Workspace, Until string }

type linkCode struct{ Name, Do, Text, Link string }

// Details are the levels of detail, and After the waiting times that the page offers.
func (d device) Details() []choice {
	return choices(int64(d.Detail), []choice{{Value: int64(notify.DetailCount), Label: "that a question waits"}, {Value: int64(notify.DetailSender), Label: "which agent asks"}, {Value: int64(notify.DetailText), Label: "the question"}})
}

func (d device) Waits() []choice {
	all := []choice{{Value: -1, Label: "at once"}}
	for _, w := range []time.Duration{20 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour} {
		all = append(all, choice{Value: int64(w / time.Second), Label: "after " + span(w)})
	}
	now := int64(d.After / time.Second)
	if d.After < 0 {
		now = -1
	}
	if !slices.ContainsFunc(all, func(c choice) bool { return c.Value == now }) {
		all = append(all, choice{Value: now, Label: "after " + span(d.After)})
	}
	return choices(now, all)
}

type choice struct {
	Value int64
	Label string
	On    bool
}

func choices(now int64, all []choice) []choice {
	for i := range all {
		all[i].On = all[i].Value == now
	}
	return all
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// kinds are the words for what a contact is.
var kinds = map[notify.Kind]string{
	notify.Desktop: "Desktop", notify.Terminal: "Terminal", notify.Command: "Command", notify.Push: "Browser", notify.Telegram: "Telegram",
	notify.Slack: "Slack", notify.Webhook: "Webhook", notify.Ntfy: "ntfy", notify.Mail: "Mail",
}

func (s *Site) notificationsPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	v := &notifications{Notice: done[r.URL.Query().Get("done")]}
	s.showNotifications(w, r, http.StatusOK, who, v)
}

// showNotifications fills the page in and renders it.
func (s *Site) showNotifications(w http.ResponseWriter, r *http.Request, status int, who *auth.Principal, v *notifications) {
	ctx := r.Context()
	all, err := s.opts.Notify.Contacts(ctx, who.Tenant, who.ID)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	p, err := s.opts.Notify.Prefs(ctx, who.Tenant, who.ID)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	l, err := s.list(ctx, who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	for _, c := range all {
		d := s.device(c, who)
		v.Devices = append(v.Devices, d)
		if d.IsHere {
			v.Here = &d
		}
	}
	if s.opts.Push != nil {
		v.Push, v.Key = true, s.opts.Push.PublicKey()
	}
	s.wishes(v, p)
	v.Team = who.ID != ""
	v.Agents = s.agents(ctx, who)
	if s.opts.Accounts != nil {
		v.Link = s.opts.Accounts()
	}
	s.render(w, r, status, "page", page{Title: "Notifications", Who: who, List: l, Notifications: v})
}

// wishes puts the preferences on the page.
func (s *Site) wishes(v *notifications, p *notify.Prefs) {
	now := s.opts.Now()
	zone := time.UTC
	if p.Quiet != nil {
		v.Quiet, v.IsQuiet = *p.Quiet, true
		if z, err := time.LoadLocation(p.Quiet.Zone); err == nil {
			zone = z
		}
	}
	v.Shared = p.Shared
	moment := func(t time.Time) string { return t.In(zone).Format("2 Jan, 15:04 MST") }
	if p.Until.After(now) {
		v.Until = moment(p.Until)
	}
	for _, m := range p.Mutes {
		switch {
		case m.Until.IsZero():
			v.Mutes = append(v.Mutes, mute{m.Agent, m.Workspace, ""})
		case m.Until.After(now):
			v.Mutes = append(v.Mutes, mute{m.Agent, m.Workspace, moment(m.Until)})
		}
	}
}

// device says in words how a contact is.
func (s *Site) device(c notify.Contact, who *auth.Principal) device {
	d := device{Contact: c, Where: cmp.Or(kinds[c.Kind], string(c.Kind)), IsHere: c.Kind == notify.Push && c.Session != "" && c.Session == who.Session}
	now := s.opts.Now()
	switch {
	case c.Off:
		d.State, d.Bad = "Off: "+cmp.Or(sayso.SafeLine(c.Error), "the subscription has ended")+". Turn it on again there, or remove it.", true
	case !c.Failing.IsZero():
		d.State, d.Bad = "Not working for "+span(max(now.Sub(c.Failing), time.Second))+": "+cmp.Or(sayso.SafeLine(c.Error), "the reason is not known"), true
	case c.Confirmed.IsZero():
		d.State = "On. Send a test to see whether notifications arrive."
	default:
		d.State = "Works. You last saw a notification there " + ago(now.Sub(c.Confirmed)) + "."
	}
	return d
}

// agents are the names that agents gave themselves lately, to choose from.
func (s *Site) agents(ctx context.Context, who *auth.Principal) []string {
	tickets, err := s.inboxOf(who).List(ctx, &hub.Filter{Status: hub.AnyStatus, Limit: 200})
	if err != nil {
		return nil
	}
	var all []string
	for _, t := range tickets.Tickets {
		if name := t.Ask.Origin.ClaimedName(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all[:min(len(all), 50)]
}

// alerts looks at the person's devices for every page: which do not work, and whether
// this browser is one that has to keep its subscription.
func (s *Site) alerts(ctx context.Context, p *page) {
	if s.opts.Notify == nil || p.Who == nil {
		return
	}
	p.Notify = true
	if s.opts.Push != nil {
		p.PushKey = s.opts.Push.PublicKey()
	}
	p.KeepPush = p.Notifications != nil
	all, err := s.opts.Notify.Contacts(ctx, p.Who.Tenant, p.Who.ID)
	if err != nil {
		return // the page matters more
	}
	for _, c := range all {
		if d := s.device(c, p.Who); d.Bad {
			p.Failing = append(p.Failing, d.Name)
		} else if d.IsHere {
			p.KeepPush = true
		}
	}
}
