package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso/api"
)

// Documents that change only with the program may be kept, and are not sent twice.
func TestStatic(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range []struct{ who, path, cache string }{
		{"nobody", "/openapi.json", "public, max-age=300"},
		{"bot", "/v1/dialects", "private, max-age=300"},
		{"bot", "/v1/dialects/claude", "private, max-age=300"},
	} {
		first := w.do(c.who, "GET", c.path, "")
		etag := first.Header().Get("ETag")
		if first.Code != http.StatusOK || !json.Valid(first.Body.Bytes()) || len(etag) < 10 || first.Header().Get("Cache-Control") != c.cache {
			t.Errorf("%s: %d %v", c.path, first.Code, first.Header())
		}
		for match, want := range map[string]int{
			etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200, strings.Trim(etag, `"`): 200,
		} {
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, w.request(c.who, "GET", c.path, "", "If-None-Match", match))
			if rec.Code != want || want == 304 && rec.Body.Len() > 0 || rec.Header().Get("ETag") != etag {
				t.Errorf("%s with %s: %d, want %d; %d bytes", c.path, match, rec.Code, want, rec.Body.Len())
			}
		}
	}
	list := must[api.DialectList](t, w, "ada", "GET", "/v1/dialects", "")
	if len(list.Dialects) != len(w.opts.Dialects) || list.Dialects[0].Name == "" || len(list.Dialects[0].Schema) == 0 {
		t.Errorf("%+v", list)
	}
}
