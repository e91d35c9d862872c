package web_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

type node = html.Node

// browser is a browser without JavaScript: it reads the HTML, keeps what is put into
// the form, and sends it as a browser does.
type browser struct {
	c    *http.Client
	base string
	at   string // the path of the page
	doc  *node  // the page; nil before the first one
	err  error  // why the last page did not come
}

// open loads a page. A page that does not come leaves the one before, to which the
// person goes back.
func (b *browser) open(path string) { b.load("GET", path, nil) }

func (b *browser) load(method, path string, form url.Values) {
	r, err := http.NewRequest(method, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.err = err
		return
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := b.c.Do(r) // which follows redirects
	if b.err = err; err != nil {
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if b.err = err; err != nil {
		return
	}
	if b.doc, b.err = html.ParseWithOptions(strings.NewReader(string(body)), html.ParseOptionEnableScripting(false)); b.err == nil {
		b.at = resp.Request.URL.Path
	}
}

// form is the form of the ask that the page shows, or nil.
func (b *browser) form() *node { return find(b.doc, byID("form")) }

// undo is the form that undoes the answer, or nil.
func (b *browser) undo() *node {
	return find(b.doc, func(n *node) bool { return n.Data == "form" && get(n, "class") == "undo" })
}

// main is the text of the page beside the list.
func (b *browser) main(all bool) string {
	return textOf(find(b.doc, func(n *node) bool { return n.Data == "main" }), all)
}

// value is what is in a field of the form: a text, or what is chosen.
func (b *browser) value(name string) string {
	var all []string
	for n := range b.form().Descendants() {
		switch {
		case get(n, "name") != name:
		case n.Data == "textarea":
			all = append(all, textOf(n, true))
		case has(n, "checked") || get(n, "type") == "hidden":
			all = append(all, get(n, "value"))
		}
	}
	return strings.Join(all, " ")
}

// find returns the first element below n that is what is wanted, or nil.
func find(n *node, is func(*node) bool) *node {
	if n == nil {
		return nil
	}
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && is(d) {
			return d
		}
	}
	return nil
}

func get(n *node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

func byID(id string) func(*node) bool {
	return func(n *node) bool { return get(n, "id") == id }
}

// button returns a test for a submit button of this value.
func button(value string) func(*node) bool {
	return func(n *node) bool { return n.Data == "button" && get(n, "value") == value }
}

// disabled reports whether a control, or a fieldset around it, is disabled.
func disabled(n *node) bool {
	for ; n != nil; n = n.Parent {
		if has(n, "disabled") {
			return true
		}
	}
	return false
}

// tick chooses a radio button or a check box.
func (b *browser) tick(form *node, name, value string) {
	in := find(form, func(n *node) bool {
		return n.Data == "input" && get(n, "name") == name && get(n, "value") == value
	})
	if in == nil || disabled(in) || has(in, "checked") {
		return
	}
	for n := range form.Descendants() {
		if n.Data == "input" && get(n, "type") == "radio" && get(in, "type") == "radio" && get(n, "name") == name {
			n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "checked" })
		}
	}
	in.Attr = append(in.Attr, html.Attribute{Key: "checked"})
}

// write puts a text into a text field, in place of what is there.
func (b *browser) write(form *node, name, value string) {
	area := find(form, func(n *node) bool { return n.Data == "textarea" && get(n, "name") == name })
	if area == nil || disabled(area) {
		return
	}
	for area.FirstChild != nil {
		area.RemoveChild(area.FirstChild)
	}
	area.AppendChild(&html.Node{Type: html.TextNode, Data: value})
}

// press sends the form by one of its buttons, the first one if there is none.
func (b *browser) press(form *node, is func(*node) bool) {
	if form == nil {
		return
	}
	if is == nil {
		is = func(n *node) bool { return n.Data == "button" }
	}
	pressed := find(form, is)
	if pressed == nil || disabled(pressed) {
		return
	}
	data := url.Values{}
	add := func(n *node, value string) {
		if name := get(n, "name"); name != "" && !disabled(n) {
			value = strings.ReplaceAll(strings.ReplaceAll(value, "\r\n", "\n"), "\n", "\r\n")
			data.Add(name, value)
		}
	}
	for n := range form.Descendants() {
		switch kind := get(n, "type"); {
		case n.Data == "textarea":
			add(n, textOf(n, true))
		case n.Data == "input" && (kind == "radio" || kind == "checkbox") && !has(n, "checked"):
		case n.Data == "input", n == pressed:
			add(n, get(n, "value"))
		}
	}
	b.load("POST", get(form, "action"), data)
}

// textOf is the text that an element shows, with what is closed only if all is wanted.
func textOf(n *node, all bool) string {
	var b strings.Builder
	var walk func(*node)
	walk = func(n *node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Data == "script" || n.Data == "style" || has(n, "hidden"):
		case n.Data == "details" && !has(n, "open") && !all:
			for c := range n.ChildNodes() {
				if c.Data == "summary" {
					walk(c)
				}
			}
		default:
			for c := range n.ChildNodes() {
				walk(c)
			}
			if slices.Contains([]string{"p", "div", "li", "dt", "dd", "legend", "label", "button", "h1", "h2", "summary"}, n.Data) {
				b.WriteString("\n")
			}
		}
	}
	if n != nil {
		walk(n)
	}
	return b.String()
}
