package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
	"time"
)

// asset serves a file that is the same for everybody, compressed if the browser takes it
// so. Pages are never compressed: from the size of a page that has both a secret and what
// somebody else wrote, the secret can be guessed.
func (s *Site) asset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if !strings.HasPrefix(name, "assets/") {
		name = "assets/" + name
	}
	h := w.Header()
	if strings.HasSuffix(name, ".webmanifest") {
		h.Set("Content-Type", "application/manifest+json")
	}
	h.Set("Cache-Control", "max-age=3600")
	h.Set("Vary", "Accept-Encoding")
	takes := r.Header.Get("Accept-Encoding")
	small := compressed()[name]
	if small == nil || !strings.Contains(takes, "gzip") || strings.Contains(takes, "gzip;q=0") {
		http.ServeFileFS(w, r, files, name)
		return
	}
	h.Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(small)) // which knows the type by the name
}

// compressed has the assets that compressing makes smaller, by name.
var compressed = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err) // they are compiled in
	}
	for _, e := range entries {
		name := "assets/" + e.Name()
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		z.Write(data)
		z.Close()
		if b.Len() < len(data) {
			all[name] = b.Bytes()
		}
	}
	return all
})
