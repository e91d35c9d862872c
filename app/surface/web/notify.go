package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/words"
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
	Name string                        // such as Telegram
	Do   func(*words.Catalogue) string // what to do with the code there: "Send this message to @my_bot:"

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

	words *words.Catalogue
}

type mute struct{ Agent, Workspace, Until string }

type linkCode struct{ Name, Do, Text, Link string }

// Details are the levels of detail, and Waits the waiting times that the page offers.
func (d device) Details() []choice {
	n := &d.words.Notify
	return choices(int64(d.Detail), []choice{{Value: int64(notify.DetailCount), Label: n.ShowCount}, {Value: int64(notify.DetailSender), Label: n.ShowSender}, {Value: int64(notify.DetailText), Label: n.ShowText}})
}

func (d device) Waits() []choice {
	all := []choice{{Value: -1, Label: d.words.Notify.AtOnce}}
	for _, w := range []time.Duration{20 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour} {
		all = append(all, choice{Value: int64(w / time.Second), Label: d.after(w)})
	}
	now := int64(d.After / time.Second)
	if now <= 0 { // a new contact may have none
		now = -1
	}
	if !slices.ContainsFunc(all, func(c choice) bool { return c.Value == now }) {
		all = append(all, choice{Value: now, Label: d.after(d.After)})
	}
	return choices(now, all)
}

func (d device) after(wait time.Duration) string {
	return d.words.Say(d.words.Notify.After, span(d.words, wait))
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

func span(w *words.Catalogue, d time.Duration) string {
	switch {
	case d < time.Minute:
		return w.Say(w.Times.Seconds, int(d.Seconds()))
	case d < time.Hour:
		return w.Say(w.Times.Minutes, int(d.Minutes()))
	}
	return w.Say(w.Times.Hours, int(d.Hours()))
}

// kindOf says what a contact is.
func kindOf(n *words.Notify, k notify.Kind) string {
	switch k {
	case notify.Desktop:
		return n.Desktop
	case notify.Terminal:
		return n.Terminal
	case notify.Command:
		return n.Command
	case notify.Push:
		return n.Browser
	case notify.Mail:
		return n.Mail
	}
	return cmp.Or(services[k], string(k))
}

// services have the same name in every language.
var services = map[notify.Kind]string{notify.Telegram: "Telegram", notify.Slack: "Slack", notify.Webhook: "Webhook", notify.Ntfy: "ntfy"}

func (s *Site) notificationsPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	v := &notifications{Notice: done(s.reader(r.Context()).Catalogue, r.URL.Query().Get("done"))}
	s.showNotifications(w, r, http.StatusOK, who, v)
}

// showNotifications fills the page in and renders it.
func (s *Site) showNotifications(w http.ResponseWriter, r *http.Request, status int, who *auth.Principal, v *notifications) {
	ctx := r.Context()
	rd := s.reader(ctx)
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
		d := s.device(rd, c, who)
		v.Devices = append(v.Devices, d)
		if d.IsHere {
			v.Here = &d
		}
	}
	if s.opts.Push != nil {
		v.Push, v.Key = true, s.opts.Push.PublicKey()
	}
	rd.wishes(v, p)
	v.Team = who.ID != ""
	v.Agents = s.agents(ctx, who)
	if s.opts.Accounts != nil {
		v.Link = s.opts.Accounts()
	}
	s.render(w, r, status, "page", page{Title: rd.Web.Notifications, Who: who, List: l, Notifications: v})
}

// wishes puts the preferences on the page.
func (rd *reader) wishes(v *notifications, p *notify.Prefs) {
	zone := time.UTC
	if p.Quiet != nil {
		v.Quiet, v.IsQuiet = *p.Quiet, true
		if z, err := time.LoadLocation(p.Quiet.Zone); err == nil {
			zone = z
		}
	}
	v.Shared = p.Shared
	moment := func(t time.Time) string {
		t = t.In(zone)
		day := rd.Say(rd.Times.Date, t.Day(), rd.Times.Months[t.Month()-1])
		return rd.Say(rd.Times.DateWithTime, day, t.Format("15:04")) + t.Format(" MST")
	}
	if p.Until.After(rd.now) {
		v.Until = moment(p.Until)
	}
	for _, m := range p.Mutes {
		switch {
		case m.Until.IsZero():
			v.Mutes = append(v.Mutes, mute{m.Agent, m.Workspace, ""})
		case m.Until.After(rd.now):
			v.Mutes = append(v.Mutes, mute{m.Agent, m.Workspace, moment(m.Until)})
		}
	}
}

// device says in words how a contact is.
func (s *Site) device(rd *reader, c notify.Contact, who *auth.Principal) device {
	d := device{Contact: c, words: rd.Catalogue, Where: kindOf(&rd.Notify, c.Kind), IsHere: c.Kind == notify.Push && c.Session != "" && c.Session == who.Session}
	now := s.opts.Now()
	switch {
	case c.Off:
		d.State, d.Bad = rd.Say(rd.Notify.Off, cmp.Or(sayso.SafeLine(c.Error), rd.Notify.Ended)), true
	case !c.Failing.IsZero():
		d.State, d.Bad = rd.Say(rd.Notify.Failing, span(rd.Catalogue, max(now.Sub(c.Failing), time.Second)), cmp.Or(sayso.SafeLine(c.Error), rd.Notify.UnknownReason)), true
	case c.Confirmed.IsZero():
		d.State = rd.Notify.Untested
	default:
		d.State = rd.Say(rd.Notify.Works, rd.Ago(now.Sub(c.Confirmed)))
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
	rd := s.reader(ctx)
	for _, c := range all {
		if d := s.device(rd, c, p.Who); d.Bad {
			p.Failing = append(p.Failing, d.Name)
		} else if d.IsHere {
			p.KeepPush = true
		}
	}
}
