package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
)

const (
	sessionFor = 12 * time.Hour
	loginFor   = 15 * time.Minute
)

// session is what the cookie says, signed, so that it outlives a restart.
type session struct {
	Tenant    string          `json:"t"`
	ID        string          `json:"i"`
	Assurance sayso.Assurance `json:"a"`
	Until     time.Time       `json:"u"`
}

func (s *Site) cookieName() string {
	if s.opts.Secure {
		return "__Host-sayso"
	}
	return "sayso" // __Host- needs https, which a loopback address has not
}

func (s *Site) setSession(w http.ResponseWriter, who *auth.Principal) {
	data, _ := json.Marshal(session{who.Tenant, who.ID, who.Assurance, s.opts.Now().Add(sessionFor)})
	text := base64.RawURLEncoding.EncodeToString(data)
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(), Value: text + "." + s.sign(text), Path: "/",
		HttpOnly: true, Secure: s.opts.Secure, SameSite: http.SameSiteLaxMode,
		MaxAge: int(sessionFor / time.Second),
	})
}

func (s *Site) sign(text string) string {
	m := hmac.New(sha256.New, s.opts.Key)
	m.Write([]byte("sayso web session 1 "))
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (s *Site) session(r *http.Request) (*auth.Principal, bool) {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return nil, false
	}
	text, sum, _ := strings.Cut(c.Value, ".")
	if !hmac.Equal([]byte(sum), []byte(s.sign(text))) {
		return nil, false
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, false
	}
	var got session
	if err := json.Unmarshal(data, &got); err != nil || s.opts.Now().After(got.Until) {
		return nil, false
	}
	return &auth.Principal{Tenant: got.Tenant, ID: got.ID, Role: auth.Answerer, Assurance: got.Assurance}, true
}

// person lets a handler be used by people who are logged in.
func (s *Site) person(h func(http.ResponseWriter, *http.Request, *auth.Principal)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := s.session(r)
		switch {
		case ok:
			h(w, r, who)
		case r.Method == http.MethodGet && r.Header.Get("Accept") != "text/event-stream":
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		default:
			s.signedOut(w, r)
		}
	})
}

// logins are the login addresses that were given out and not used.
type logins struct {
	now  func() time.Time
	mu   sync.Mutex
	open map[[sha256.Size]byte]login
}

type login struct {
	who   *auth.Principal
	until time.Time
	used  bool
}

// LoginLink returns an address under base that lets the person in once.
func (s *Site) LoginLink(base string, who *auth.Principal) string {
	token := randomText(32)
	l := &s.logins
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[[sha256.Size]byte]login{}
	}
	for k, old := range l.open {
		if l.now().After(old.until) {
			delete(l.open, k)
		}
	}
	l.open[sha256.Sum256([]byte(token))] = login{who: who, until: l.now().Add(loginFor)}
	// Behind the # it is sent to no server, stands in no log and no Referer.
	return strings.TrimRight(base, "/") + "/login#" + token
}

// take uses a token up. A token that was used stays known until it expires, so
// that its second use can be told from a wrong one.
func (l *logins) take(token string) (who *auth.Principal, used bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := sha256.Sum256([]byte(token))
	got, ok := l.open[key]
	if !ok || l.now().After(got.until) {
		return nil, false
	}
	if got.used {
		return nil, true
	}
	got.used = true
	l.open[key] = got
	return got.who, false
}

// loginView is what the login page shows.
type loginView struct{ Used bool }

func (s *Site) loginPage(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "login", page{Title: "Log in", Login: &loginView{}})
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	who, used := s.logins.take(strings.TrimSpace(r.PostFormValue("token")))
	if who == nil {
		status, sentence := http.StatusForbidden, "That code is not known, or no longer. Get a new one with: sayso web"
		if used {
			status, sentence = http.StatusGone, "That login address was used before. Get a new one with: sayso web"
		}
		s.render(w, r, status, "login", page{Title: "Log in", Login: &loginView{Used: used}, Error: sentence})
		return
	}
	s.setSession(w, who)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Site) logout(w http.ResponseWriter, r *http.Request, _ *auth.Principal) {
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.opts.Secure})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
