package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestAssetsCompressed: every file is the same compressed and not, with the same type. A
// page is not compressed.
func TestAssetsCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	entries, err := os.ReadDir("assets")
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"/", page, "/sw.js", "/manifest.webmanifest"}
	for _, e := range entries {
		paths = append(paths, "/assets/"+e.Name())
	}
	for _, path := range paths {
		plain := w.taking("", path)
		if got := plain.header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s is %s for a browser that takes nothing compressed", path, got)
		}
		small := w.taking("br, gzip", path)
		text := strings.HasSuffix(path, ".css") || strings.HasSuffix(path, "js") || strings.HasSuffix(path, ".webmanifest")
		packed := small.header.Get("Content-Encoding") == "gzip"
		if packed != text && !strings.HasPrefix(path, "/assets/icon") {
			t.Errorf("%s is compressed: %t", path, packed)
		}
		if !packed {
			continue
		}
		z, err := gzip.NewReader(strings.NewReader(small.body))
		if err != nil {
			t.Fatal(path, err)
		}
		body, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(body, []byte(plain.body)) {
			t.Errorf("%s differs when it is compressed: %v", path, err)
		}
		if got, want := small.header.Get("Content-Type"), plain.header.Get("Content-Type"); got != want || got == "" {
			t.Errorf("%s is %q compressed, and %q else", path, got, want)
		}
		if small.header.Get("Vary") != "Accept-Encoding" || plain.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("a proxy could give %s compressed to a browser that does not take it", path)
		}
	}
	if got := w.taking("gzip;q=0", "/assets/app.js").header.Get("Content-Encoding"); got != "" {
		t.Errorf("%s for a browser that refuses it", got)
	}
}

// taking opens a page with a browser that takes these encodings, and does not decode them.
func (w *world) taking(encodings, path string) reply {
	w.t.Helper()
	r, err := http.NewRequest("GET", w.http.URL+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", encodings)
	return w.do(w.c, r)
}
