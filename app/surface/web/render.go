package web

import (
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/surface/words"
)

// templates are the pages, by language: a page says its own words with {{W.Web.Save}},
// {{say W.Web.Asked .Ago}} and {{count W.Inbox.SameOthers .Same}}.
func templates() (pages map[string]*template.Template, catalogues map[string]*words.Catalogue) {
	pages, catalogues = map[string]*template.Template{}, map[string]*words.Catalogue{}
	for _, l := range words.Languages() {
		w := words.For(l.Tag)
		catalogues[l.Tag] = w
		pages[l.Tag] = template.Must(template.New("").Funcs(template.FuncMap{
			"W":     func() *words.Catalogue { return w },
			"say":   w.Say,
			"count": w.Count,
			"quote": w.Quote,
			"code":  codeIn(w),
			"link":  linkIn,
		}).ParseFS(files, "templates/*.html"))
	}
	return pages, catalogues
}

// codeIn fills in a sentence with texts that are shown as code.
func codeIn(w *words.Catalogue) func(sentence string, texts ...string) template.HTML {
	return func(sentence string, texts ...string) template.HTML {
		args := make([]any, len(texts))
		for i, t := range texts {
			args[i] = `<code dir="auto">` + template.HTMLEscapeString(t) + "</code>"
		}
		return template.HTML(w.Say(template.HTMLEscapeString(sentence), args...))
	}
}

// linkIn is an address with one more thing in its query.
func linkIn(address, key, value string) string {
	mark := "?"
	if strings.Contains(address, "?") {
		mark = "&"
	}
	return address + mark + key + "=" + template.URLQueryEscaper(value)
}

// render writes a page under a policy that runs only the scripts of the page.
func (s *Site) render(w http.ResponseWriter, r *http.Request, status int, name string, p page) {
	rd := s.reader(r.Context())
	p.W, p.Nonce = rd.Catalogue, randomText(16)
	if name == "page" {
		s.alerts(r.Context(), &p)
		p.Held = s.heldBar(r.Context(), rd)
		p.Here = r.URL.RequestURI()
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", rd.Tag)
	h.Add("Vary", "Accept-Language")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+p.Nonce+"'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; worker-src 'self'; "+
		"require-trusted-types-for 'script'; trusted-types htmx sayso")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	if err := s.pages[rd.Tag].ExecuteTemplate(w, name, p); err != nil {
		s.opts.Log.Error("rendering a page", "page", name, "err", err)
	}
}

// Words are those that the scripts say, as JSON.
func (p page) Words() (string, error) {
	b, err := json.Marshal(scriptWords(p.W))
	return string(b), err
}

// Keys is the table of keys, as the script reads it: by KeyboardEvent.key.
func (p page) Keys() (string, error) {
	by := map[string]words.Action{}
	for _, k := range words.Keys() {
		for _, key := range k.Browser() {
			by[key] = k.Action
		}
	}
	b, err := json.Marshal(by)
	return string(b), err
}

// machine is a time as programs read it.
func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }
