package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/words"
)

// done says what a form did, by what the address says about it.
func done(w *words.Catalogue, what string) string {
	n := &w.Notify
	return map[string]string{
		"on": n.NowOn, "off": n.NowOff, "removed": n.Removed, "saved": w.Web.Saved,
		"confirmed": n.Confirmed, "muted": n.Muted, "unmuted": n.Unmuted,
	}[what]
}

// errForm is a form that says nothing that can be done; its words are for the person.
type errForm string

func (e errForm) Error() string { return string(e) }

// setNotifications does what a form of the page says.
func (s *Site) setNotifications(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	rd := s.reader(r.Context())
	if err := r.ParseForm(); err != nil {
		http.Error(w, rd.Notify.Unreadable, statusOf(err))
		return
	}
	word, err := "", error(nil)
	n, ctx, f, id := s.opts.Notify, r.Context(), r.PostForm, r.PostForm.Get("id")
	prefs := func(as string, change func(*notify.Prefs)) {
		word, err = as, n.SetPrefs(ctx, who.Tenant, who.ID, change)
	}
	switch f.Get("do") {
	case "subscribe":
		word, err = "on", s.subscribe(r, who)
	case "unsubscribe":
		word, err = "off", n.RemoveSession(ctx, who.Tenant, who.ID, who.Session)
	case "remove":
		word, err = "removed", n.Remove(ctx, who.Tenant, who.ID, id)
	case "change":
		word, err = "saved", s.changeDevice(r, who, id)
	case "confirm":
		word, err = "confirmed", n.Confirm(ctx, who.Tenant, who.ID, id)
	case "test":
		s.testDevice(w, r, who, id)
		return
	case "link":
		s.linkAccount(w, r, who, notify.Kind(f.Get("kind")))
		return
	case "quiet":
		var q *notify.Quiet
		if q, err = rd.readQuiet(f); err == nil {
			prefs("saved", func(p *notify.Prefs) { p.Quiet = q })
		}
	case "shared":
		prefs("saved", func(p *notify.Prefs) { p.Shared = f.Get("shared") != "" })
	case "mute":
		until, bad := rd.muteUntil(f)
		if err = bad; err == nil {
			prefs("muted", func(p *notify.Prefs) { p.Until = until })
		}
	case "unmute":
		prefs("unmuted", func(p *notify.Prefs) { p.Until = time.Time{} })
	case "mute-agent":
		agent := strings.TrimSpace(f.Get("agent"))
		if err = errForm(rd.Notify.WhichAgent); agent != "" {
			prefs("muted", func(p *notify.Prefs) {
				p.Mutes = slices.DeleteFunc(p.Mutes, func(m notify.Mute) bool { return m.Agent == agent && m.Workspace == "" })
				p.Mutes = append(p.Mutes, notify.Mute{Agent: agent})
			})
		}
	case "unmute-agent":
		prefs("unmuted", func(p *notify.Prefs) {
			p.Mutes = slices.DeleteFunc(p.Mutes, func(m notify.Mute) bool { return m.Agent == f.Get("agent") && m.Workspace == f.Get("workspace") })
		})
	default:
		err = errForm(rd.Notify.Outdated)
	}
	switch {
	case err == nil && wantsPart(r):
		w.WriteHeader(http.StatusNoContent)
	case err == nil:
		http.Redirect(w, r, "/notifications?done="+word, http.StatusSeeOther)
	default:
		s.refuseNotifications(w, r, who, err)
	}
}

// refuseNotifications says why a form was not taken.
func (s *Site) refuseNotifications(w http.ResponseWriter, r *http.Request, who *auth.Principal, err error) {
	n := &s.reader(r.Context()).Notify
	status, said := http.StatusUnprocessableEntity, ""
	var form errForm
	switch {
	case errors.As(err, &form):
		said = string(form)
	case errors.Is(err, notify.ErrNoContact):
		status, said = http.StatusNotFound, n.Gone
	case errors.Is(err, notify.ErrNoChannel):
		said = n.NoChannel
	default:
		s.opts.Log.Error("changing notifications", "err", err)
		status, said = http.StatusServiceUnavailable, n.MaybeUnsaved
	}
	if wantsPart(r) {
		http.Error(w, said, status)
		return
	}
	s.showNotifications(w, r, status, who, &notifications{Problem: said})
}

// subscribe makes this browser a device of the person, or gives the one it is the
// subscription that it has now.
func (s *Site) subscribe(r *http.Request, who *auth.Principal) error {
	if s.opts.Push == nil {
		return notify.ErrNoChannel
	}
	at, err := s.opts.Push.Address([]byte(r.PostForm.Get("subscription")), s.originOf(r), r.UserAgent())
	if err != nil {
		s.opts.Log.Warn("refusing a subscription", "err", err)
		return errForm(s.reader(r.Context()).Notify.NoPushService)
	}
	n := s.opts.Notify
	all, err := n.Contacts(r.Context(), who.Tenant, who.ID)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Kind != notify.Push || c.Session != who.Session {
			continue
		}
		_, err := n.Change(r.Context(), who.Tenant, who.ID, c.ID, func(c *notify.Contact) {
			if string(c.Address) != string(at) {
				c.Address, c.Off, c.Failing, c.Error = at, false, time.Time{}, ""
			}
		})
		return err
	}
	_, err = n.Add(r.Context(), &notify.Contact{
		Tenant: who.Tenant, Person: who.ID, Kind: notify.Push, Name: auth.Device(r.UserAgent()),
		Address: at, Detail: notify.DetailSender, Session: who.Session,
	})
	return err
}

// originOf is the origin of the page, as the browser says, if that is of this site.
func (s *Site) originOf(r *http.Request) string {
	if u, err := url.Parse(r.Header.Get("Origin")); err == nil && u.Host == r.Host && (u.Scheme == "https" || u.Scheme == "http") {
		return u.Scheme + "://" + u.Host
	}
	if s.opts.Secure {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func (s *Site) changeDevice(r *http.Request, who *auth.Principal, id string) error {
	detail, err := strconv.Atoi(r.PostForm.Get("detail"))
	if err != nil || detail < int(notify.DetailCount) || detail > int(notify.DetailText) {
		return errForm(s.reader(r.Context()).Notify.ChooseDetail)
	}
	after, err := strconv.Atoi(r.PostForm.Get("after"))
	if err != nil || after < -1 || after > 7*24*3600 {
		return errForm(s.reader(r.Context()).Notify.ChooseAfter)
	}
	_, err = s.opts.Notify.Change(r.Context(), who.Tenant, who.ID, id, func(c *notify.Contact) {
		c.Detail, c.After = notify.Detail(detail), time.Duration(after)*time.Second
	})
	return err
}

// testDevice sends a test, and asks whether it arrived.
func (s *Site) testDevice(w http.ResponseWriter, r *http.Request, who *auth.Principal, id string) {
	rd := s.reader(r.Context())
	res, err := s.opts.Notify.Test(r.Context(), who.Tenant, who.ID, id)
	switch {
	case err != nil:
		s.refuseNotifications(w, r, who, err)
	case res.Error != "":
		s.showNotifications(w, r, http.StatusOK, who, &notifications{Problem: rd.Say(rd.Notify.TestFailed, res.Contact.Name, res.Error)})
	default:
		d := s.device(rd, res.Contact, who)
		s.showNotifications(w, r, http.StatusOK, who, &notifications{Tested: &d})
	}
}

// linkAccount shows a code that links an account, once.
func (s *Site) linkAccount(w http.ResponseWriter, r *http.Request, who *auth.Principal, kind notify.Kind) {
	var all []Account
	if s.opts.Accounts != nil {
		all = s.opts.Accounts()
	}
	i := slices.IndexFunc(all, func(a Account) bool { return a.Kind == kind })
	if i < 0 {
		s.refuseNotifications(w, r, who, notify.ErrNoChannel)
		return
	}
	a := all[i]
	code, err := s.opts.Notify.NewCode(r.Context(), who.Tenant, who.ID, kind, &notify.Contact{Detail: notify.DetailSender})
	if err != nil {
		s.refuseNotifications(w, r, who, err)
		return
	}
	v := &linkCode{Name: a.Name, Do: a.Do(s.reader(r.Context()).Catalogue), Text: code}
	if a.Text != nil {
		v.Text = a.Text(code)
	}
	if a.Link != nil {
		v.Link = a.Link(code)
	}
	s.showNotifications(w, r, http.StatusOK, who, &notifications{Code: v})
}

// readQuiet reads quiet hours; nil: there are none.
func (rd *reader) readQuiet(f url.Values) (*notify.Quiet, error) {
	if f.Get("quiet") == "" {
		return nil, nil
	}
	q := &notify.Quiet{From: strings.TrimSpace(f.Get("from")), To: strings.TrimSpace(f.Get("to")), Zone: strings.TrimSpace(f.Get("zone")), Deadlines: f.Get("deadlines") != ""}
	if err := (&notify.Prefs{Quiet: q}).Check(); err != nil {
		if _, ok := location(q.Zone); !ok {
			return nil, errForm(rd.Say(rd.Notify.BadZone, rd.Quote(sayso.SafeLine(q.Zone))))
		}
		return nil, errForm(rd.Say(rd.Notify.BadHours, rd.Quote(sayso.SafeLine(q.From)), rd.Quote(sayso.SafeLine(q.To))))
	}
	return q, nil
}

// muteUntil is the end of a mute: in an hour, or tomorrow where the person is.
func (rd *reader) muteUntil(f url.Values) (time.Time, error) {
	now := rd.now
	switch f.Get("for") {
	case "hour":
		return now.Add(time.Hour), nil
	case "tomorrow":
		zone, err := time.LoadLocation(f.Get("zone"))
		if err != nil {
			return now, errForm(rd.Notify.NoZone)
		}
		return words.Morning(now.In(zone), 1), nil
	}
	return now, errForm(rd.Notify.ChooseMute)
}
