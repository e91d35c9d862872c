package attacktest

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// browser is a browser's window on the web inbox, without a screen: it keeps
// cookies, follows no redirect, and connects to this machine whatever the name in
// the address, as browsers do with names below .localhost.
type browser struct {
	w       *world
	base    *url.URL // of the inbox, as sayso web prints it
	cookies map[string]string
}

// link makes a login address, as a person does.
func (w *world) link() *url.URL {
	w.t.Helper()
	out, bad, code := w.sayso("web", "--no-open")
	if code != 0 {
		w.t.Fatalf("sayso web: %s", bad)
	}
	u, err := url.Parse(out)
	if err != nil || u.Fragment == "" {
		w.t.Fatalf("sayso web prints %q", out)
	}
	return u
}

// stranger is a browser that nobody signed in with.
func (w *world) stranger(base *url.URL) *browser {
	return &browser{w: w, base: &url.URL{Scheme: base.Scheme, Host: base.Host}, cookies: map[string]string{}}
}

// browser is one in which the person has opened the login address.
func (w *world) browser() *browser {
	w.t.Helper()
	link := w.link()
	b := w.stranger(link)
	if r := b.login(link); r.status != http.StatusSeeOther || len(b.cookies) == 0 {
		w.t.Fatalf("signing in: %d %s", r.status, r.body)
	}
	return b
}

// login sends the form of the login page.
func (b *browser) login(link *url.URL) *reply {
	b.w.t.Helper()
	return b.do("POST", "/login", url.Values{"token": {link.Fragment}})
}

// get opens a page of the inbox.
func (b *browser) get(path string) *reply { b.w.t.Helper(); return b.do("GET", path, nil) }

// do makes a request as a page of the inbox makes it: with its cookies and its
// origin. Headers given in pairs replace these; one with an empty value is not sent.
func (b *browser) do(method, path string, form url.Values, header ...string) *reply {
	b.w.t.Helper()
	resp := b.send(method, path, form, header...)
	defer resp.Body.Close()
	r := &reply{status: resp.StatusCode, header: resp.Header}
	var err error
	if r.body, err = io.ReadAll(resp.Body); err != nil {
		b.w.t.Fatalf("%s %s: %v", method, path, err)
	}
	json.Unmarshal(r.body, &r.json)
	return r
}

// send is do for a response that does not end, such as a stream of events.
func (b *browser) send(method, path string, form url.Values, header ...string) *http.Response {
	b.w.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequest(method, b.base.String()+path, body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.base.String())
	}
	var cookies []string
	for _, name := range slices.Sorted(maps.Keys(b.cookies)) {
		cookies = append(cookies, name+"="+b.cookies[name])
	}
	if cookies != nil {
		req.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	for i := 0; i+1 < len(header); i += 2 {
		switch name, value := header[i], header[i+1]; {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	_, port, _ := net.SplitHostPort(b.base.Host)
	client := &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
			},
		},
	}
	resp, err := client.Do(req)
	if err != nil {
		b.w.t.Fatalf("%s %s: %v", method, path, err)
	}
	for _, c := range resp.Cookies() {
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return resp
}
