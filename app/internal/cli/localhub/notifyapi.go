package localhub

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Device is one way to reach a person, as the person's own programs see it.
type Device struct {
	ID        string        `json:"id"`
	Kind      notify.Kind   `json:"kind"`
	Name      string        `json:"name"`
	Detail    string        `json:"detail"` // count, sender or text
	After     time.Duration `json:"-"`
	AfterText string        `json:"after"` // the same in words
	Created   time.Time     `json:"created"`
	Confirmed time.Time     `json:"confirmed,omitzero"` // when the person last showed that notifications arrive
	Failing   time.Time     `json:"failing,omitzero"`   // since when they do not
	Error     string        `json:"error,omitempty"`    // why not
	Off       bool          `json:"off,omitempty"`      // it is gone, and not used any more
}

// Details are the levels of detail, by name.
var Details = []string{"count", "sender", "text"}

func deviceOf(c *notify.Contact) *Device {
	return &Device{
		ID: c.ID, Kind: c.Kind, Name: c.Name, Detail: Details[min(max(int(c.Detail), 0), len(Details)-1)], AfterText: max(c.After, 0).String(),
		Created: c.Created, Confirmed: c.Confirmed, Failing: c.Failing, Error: c.Error, Off: c.Off,
	}
}

// Notified is how a person is notified.
type Notified struct {
	Devices []*Device         `json:"devices"`
	Prefs   notify.Prefs      `json:"preferences"`
	Broken  map[string]string `json:"broken,omitempty"` // services that cannot be used, and why
	Public  string            `json:"public,omitempty"` // where other devices find the inbox
}

// NewDevice is a device to add.
type NewDevice struct {
	Person   string           `json:"person,omitempty"`
	Kind     notify.Kind      `json:"kind"`
	Name     string           `json:"name,omitempty"`
	Detail   *notify.Detail   `json:"detail,omitempty"`  // default: that of the kind
	After    time.Duration    `json:"after,omitempty"`   // zero: the default; negative: at once
	To       string           `json:"to,omitempty"`      // a URL, a mail address
	Address  json.RawMessage  `json:"address,omitempty"` // of a terminal: a [tty.Address]
	Ntfy     *NtfyTopic       `json:"ntfy,omitempty"`
	Telegram *TelegramService `json:"telegram,omitempty"`
	Slack    *SlackService    `json:"slack,omitempty"`
	Mail     *MailService     `json:"mail,omitempty"`
}

// NtfyTopic is a topic at an ntfy server.
type NtfyTopic struct {
	URL     string `json:"url"`
	Token   string `json:"token,omitempty"`
	Answers string `json:"answers,omitempty"` // the topic for answers
}

// AddedDevice is what became of it: a device, or a code that makes an account one.
type AddedDevice struct {
	Device *Device `json:"device,omitempty"`
	Code   string  `json:"code,omitempty"`   // good once, for [notify.CodeFor]
	Link   string  `json:"link,omitempty"`   // opens the service with the code
	Secret string  `json:"secret,omitempty"` // that signs what is sent; shown once
}

// PrefsChange is what a person wants changed.
type PrefsChange struct {
	Person  string        `json:"person,omitempty"`
	Until   *time.Time    `json:"until,omitempty"` // of a mute of everything; zero: it ends
	Quiet   *notify.Quiet `json:"quiet,omitempty"`
	NoQuiet bool          `json:"noQuiet,omitempty"`
	Mute    *notify.Mute  `json:"mute,omitempty"`
	Unmute  *notify.Mute  `json:"unmute,omitempty"` // the mutes of this agent or workspace end; of both empty: all
}

func (c *PrefsChange) apply(p *notify.Prefs) {
	if c.Until != nil {
		p.Until = *c.Until
	}
	if c.Quiet != nil {
		p.Quiet = c.Quiet
	}
	if c.NoQuiet {
		p.Quiet = nil
	}
	same := func(a, b notify.Mute) bool { return a.Agent == b.Agent && a.Workspace == b.Workspace }
	if c.Unmute != nil {
		p.Mutes = slices.DeleteFunc(p.Mutes, func(m notify.Mute) bool { return *c.Unmute == (notify.Mute{}) || same(m, *c.Unmute) })
	}
	if c.Mute != nil {
		p.Mutes = append(slices.DeleteFunc(p.Mutes, func(m notify.Mute) bool { return same(m, *c.Mute) }), *c.Mute)
	}
}

// register serves the owner's commands.
func (n *notifying) register(mux *http.ServeMux) {
	const path = operatorPath + "notify"
	mux.HandleFunc("GET "+path, n.list)
	mux.HandleFunc("POST "+path, n.add)
	mux.HandleFunc("PATCH "+path, n.prefs)
	mux.HandleFunc("PATCH "+path+"/{id}", n.change)
	mux.HandleFunc("DELETE "+path+"/{id}", n.remove)
	mux.HandleFunc("POST "+path+"/{id}/test", n.test)
	mux.HandleFunc("POST "+path+"/{id}/confirm", n.confirm)
	mux.HandleFunc("GET "+path+"-log", n.history)
}

func personOf(r *http.Request) string { return r.URL.Query().Get("person") }

func (n *notifying) list(w http.ResponseWriter, r *http.Request) {
	s, err := n.notified(r.Context(), personOf(r))
	answerWith(w, s, err)
}

func (n *notifying) notified(ctx context.Context, person string) (*Notified, error) {
	all, err := n.Contacts(ctx, Tenant, person)
	if err != nil {
		return nil, err
	}
	prefs, err := n.Prefs(ctx, Tenant, person)
	if err != nil {
		return nil, err
	}
	s := &Notified{Devices: []*Device{}, Prefs: *prefs, Broken: map[string]string{}, Public: n.address("")}
	for i := range all {
		s.Devices = append(s.Devices, deviceOf(&all[i]))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for kind, why := range n.broken {
		s.Broken[string(kind)] = why
	}
	return s, nil
}

func (n *notifying) prefs(w http.ResponseWriter, r *http.Request) {
	var c PrefsChange
	if !readBody(w, r, &c) {
		return
	}
	err := n.SetPrefs(r.Context(), Tenant, c.Person, c.apply)
	var now *notify.Prefs
	if err == nil {
		now, err = n.Prefs(r.Context(), Tenant, c.Person)
	}
	answerWith(w, now, err)
}

// DeviceChange is what is changed at a device; nil: it stays.
type DeviceChange struct {
	After  *time.Duration `json:"after,omitempty"`
	Detail *notify.Detail `json:"detail,omitempty"`
}

func (n *notifying) change(w http.ResponseWriter, r *http.Request) {
	var c DeviceChange
	if !readBody(w, r, &c) {
		return
	}
	d, err := n.Change(r.Context(), Tenant, personOf(r), r.PathValue("id"), func(to *notify.Contact) {
		if c.After != nil {
			to.After = *c.After
		}
		if c.Detail != nil {
			to.Detail = *c.Detail
		}
	})
	if err != nil {
		answerWith(w, nil, noDevice(err, r))
		return
	}
	answerWith(w, deviceOf(d), nil)
}

func (n *notifying) remove(w http.ResponseWriter, r *http.Request) {
	answerWith(w, struct{}{}, noDevice(n.Remove(r.Context(), Tenant, personOf(r), r.PathValue("id")), r))
}

// TestedDevice is what became of a test.
type TestedDevice struct {
	Device   *Device   `json:"device"`
	Sent     time.Time `json:"sent,omitzero"`
	Error    string    `json:"error,omitempty"`
	CanReply bool      `json:"canReply"` // the device confirms by itself
}

func (n *notifying) test(w http.ResponseWriter, r *http.Request) {
	t, err := n.Test(r.Context(), Tenant, personOf(r), r.PathValue("id"))
	if err != nil {
		answerWith(w, nil, noDevice(err, r))
		return
	}
	answerWith(w, TestedDevice{deviceOf(&t.Contact), t.Sent, t.Error, t.CanReply}, nil)
}

func (n *notifying) confirm(w http.ResponseWriter, r *http.Request) {
	answerWith(w, struct{}{}, noDevice(n.Confirm(r.Context(), Tenant, personOf(r), r.PathValue("id")), r))
}

func (n *notifying) history(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	all, err := n.Log(r.Context(), Tenant, personOf(r), limit)
	if all == nil {
		all = []notify.Told{}
	}
	answerWith(w, all, err)
}

func readBody(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(io.LimitReader(r.Body, 64<<10)).Decode(into); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

// Notified returns how the person is notified; empty: the owner.
func (s *Starter) Notified(ctx context.Context, person string) (*Notified, error) {
	var all Notified
	if err := s.notify(ctx, http.MethodGet, "", person, nil, &all); err != nil {
		return nil, err
	}
	for _, d := range all.Devices {
		d.After, _ = time.ParseDuration(d.AfterText)
	}
	return &all, nil
}

// AddDevice adds a device.
func (s *Starter) AddDevice(ctx context.Context, d *NewDevice) (*AddedDevice, error) {
	var added AddedDevice
	return &added, s.notify(ctx, http.MethodPost, "", "", d, &added)
}

// ChangeDevice changes one.
func (s *Starter) ChangeDevice(ctx context.Context, person, id string, c *DeviceChange) (*Device, error) {
	var d Device
	return &d, s.notify(ctx, http.MethodPatch, "/"+url.PathEscape(id), person, c, &d)
}

// RemoveDevice removes one.
func (s *Starter) RemoveDevice(ctx context.Context, person, id string) error {
	return s.notify(ctx, http.MethodDelete, "/"+url.PathEscape(id), person, nil, &struct{}{})
}

// TestDevice sends a test to one.
func (s *Starter) TestDevice(ctx context.Context, person, id string) (*TestedDevice, error) {
	var t TestedDevice
	return &t, s.notify(ctx, http.MethodPost, "/"+url.PathEscape(id)+"/test", person, nil, &t)
}

// ConfirmDevice notes that the person has seen a notification there.
func (s *Starter) ConfirmDevice(ctx context.Context, person, id string) error {
	return s.notify(ctx, http.MethodPost, "/"+url.PathEscape(id)+"/confirm", person, nil, &struct{}{})
}

// ChangePrefs changes what the person wants, and returns it.
func (s *Starter) ChangePrefs(ctx context.Context, c *PrefsChange) (*notify.Prefs, error) {
	var p notify.Prefs
	return &p, s.notify(ctx, http.MethodPatch, "", "", c, &p)
}

// NotifyLog returns what the person was told, the latest first.
func (s *Starter) NotifyLog(ctx context.Context, person string, limit int) (all []notify.Told, err error) {
	return all, s.notify(ctx, http.MethodGet, "-log?limit="+strconv.Itoa(limit), person, nil, &all)
}

// notify asks the hub, which must run.
func (s *Starter) notify(ctx context.Context, method, path, person string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	if person != "" {
		sep := "?"
		if len(path) > 4 && path[:4] == "-log" {
			sep = "&"
		}
		path += sep + url.Values{"person": {person}}.Encode()
	}
	resp, err := s.operate(ctx, method, "notify"+path, &sent)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var said reply
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		return err
	}
	return said.into(into)
}
