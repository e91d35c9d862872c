package cli

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// The doctor says which part of the way to the inbox is wrong.
func TestLookAtPublic(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/login" {
				http.NotFound(w, r)
				return
			}
			w.WriteHeader(status)
			w.Write([]byte(body))
		}
	}
	const inbox = "<main><h1>sayso</h1></main>"
	for name, c := range map[string]struct {
		handler   http.Handler
		untrusted bool
		gone      bool
		ok        bool
		value     string
		fix       string
	}{
		"well":        {handler: says(200, inbox), ok: true, value: "reachable from this machine"},
		"certificate": {handler: says(200, inbox), untrusted: true, value: "the certificate is refused", fix: "that your devices trust"},
		"host list":   {handler: says(421, "This inbox does not answer to that name."), value: "does not answer to the name", fix: "--host NAME"},
		"proxy":       {handler: says(502, "Bad Gateway"), value: "the proxy does not reach the hub", fix: "--web"},
		"other site":  {handler: says(200, "<h1>It works!</h1>"), value: "something else answers there", fix: "--web"},
		"other path":  {handler: says(404, inbox), value: "something else answers there", fix: "every path"},
		"nothing":     {handler: says(200, inbox), gone: true, value: "nothing answers there", fix: "start the proxy"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewTLSServer(c.handler)
			defer s.Close()
			roots := x509.NewCertPool()
			if !c.untrusted {
				roots.AddCert(s.Certificate())
			}
			if c.gone {
				s.Close()
			}
			f := lookAtPublic(t.Context(), s.URL+"/", roots)
			if f.OK != c.ok || !strings.Contains(f.Value, c.value) || !strings.Contains(f.Fix, c.fix) || f.OK != (f.Fix == "") {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A device that fails is a fault, one that nobody has confirmed a hint.
func TestLookAtDevice(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 17, 8, 0, 0, 0, time.Local)
	for name, c := range map[string]struct {
		d          localhub.Device
		ok         bool
		value, fix string
	}{
		"new":       {localhub.Device{}, true, "nobody has confirmed", "sayso notify test x-1"},
		"confirmed": {localhub.Device{Confirmed: at}, true, "confirmed 2026-11-17 08:00", ""},
		"failing":   {localhub.Device{Confirmed: at, Failing: at, Error: "no route\x1b[31m"}, false, "failing since 2026-11-17 08:00: no route", "sayso notify test x-1"},
		"gone":      {localhub.Device{Off: true, Failing: at, Error: "blocked"}, true, "gone: blocked", "sayso notify remove x-1"},
	} {
		c.d.ID, c.d.Name, c.d.Kind = "x-1", "X", "telegram"
		f := lookAtDevice(&c.d)
		if f.OK != c.ok || !strings.Contains(f.Value, c.value) || strings.Contains(f.Value, "\x1b") || c.fix == "" != (f.Fix == "") || !strings.Contains(f.Fix, c.fix) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
