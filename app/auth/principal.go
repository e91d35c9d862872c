package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/saysohq/sayso"
)

// Role is what a principal may do: one bit, or several.
type Role uint8

// The roles. A key has exactly one of them; the person at the machine itself,
// who could make any key, has all.
const (
	Asker    Role = 1 << iota // asks, and reads and withdraws what it asked
	Answerer                  // reads and answers what is to its person, or to everybody
	Observer                  // sees what waits and what became of it, but neither questions nor answers
	Admin                     // sees to the keys and the machine; asks and answers nothing

	Everything = Asker | Answerer | Observer | Admin
)

var roleNames = []string{"asker", "answerer", "observer", "admin"}

// ParseRole returns the role of that name.
func ParseRole(name string) (Role, error) {
	for i, n := range roleNames {
		if n == name {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("auth: unknown role %q; use one of %s", name, strings.Join(roleNames, ", "))
}

// String returns the names of the roles, with a plus between them.
func (r Role) String() string {
	var names []string
	for i, n := range roleNames {
		if r&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, "+")
}

// MarshalText returns the names of the roles.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the name of one role.
func (r *Role) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRole(string(text))
	return err
}

// Is reports whether r holds at least one of the given roles.
func (r Role) Is(any Role) bool { return r&any != 0 }

// Principal is who makes a request. It is not changed once it was handed out.
type Principal struct {
	Tenant    string
	ID        string // the person who answers or the agent that asks; empty: the only person there is
	Role      Role
	Key       string // the id of the key, for logs; empty for other credentials
	Session   string // the id of the session, for logs and lists; empty for other credentials
	Assurance sayso.Assurance

	// Paired says that a sign-in link is for a device of the person's own, such as a
	// phone: it stays signed in as long as it is used.
	Paired bool

	// life ends with the credential. It is kept because it belongs to the
	// credential, not to a request; nil: the credential does not end.
	life context.Context
}

// Name is who it is in words, for what it is told itself.
func (p *Principal) Name() string {
	if p.ID == "" {
		return "the owner of this hub"
	}
	return p.Role.String() + " " + p.ID
}

// Bind returns a context that ends with ctx, and with [ErrCredential] as its
// cause when the credential does. Whatever outlives a moment is done under it.
func (p *Principal) Bind(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() bool { return true }
	if p.life != nil {
		stop = context.AfterFunc(p.life, func() { cancel(ErrCredential) })
	}
	return ctx, func() { stop(); cancel(context.Canceled) }
}

// The errors of an Authenticator. What exactly is wrong with a credential is not
// said to who shows it.
var (
	ErrNoCredential = errors.New("auth: the request has no credential")
	ErrCredential   = errors.New("auth: the credential is unknown, revoked or expired")
)

// Authenticator tells who makes a request. It returns [ErrNoCredential] if the
// request has no credential that it knows how to read, and [ErrCredential] if it
// has one that does not hold. Any other error says that nobody can tell now.
type Authenticator interface {
	Authenticate(r *http.Request) (*Principal, error)
}

// First asks each authenticator in turn until one finds a credential, good or
// bad: a request with a bad key is not given a second chance as a local caller.
func First(list ...Authenticator) Authenticator { return first(list) }

type first []Authenticator

func (list first) Authenticate(r *http.Request) (*Principal, error) {
	for _, a := range list {
		if p, err := a.Authenticate(r); !errors.Is(err, ErrNoCredential) {
			return p, err
		}
	}
	return nil, ErrNoCredential
}

// bearer returns the token of the Authorization header. Another scheme, or two
// such headers, is a credential that does not hold, not the lack of one.
func bearer(r *http.Request) (string, error) {
	switch h := r.Header["Authorization"]; len(h) {
	case 0:
		return "", ErrNoCredential
	case 1:
		scheme, token, ok := strings.Cut(h[0], " ")
		if ok && strings.EqualFold(scheme, "Bearer") && token != "" {
			return token, nil
		}
	}
	return "", ErrCredential
}
