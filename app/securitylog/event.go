package securitylog

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Name is what happened.
type Name string

// The events. Each name is part of the log's format.
const (
	CredentialRejected Name = "credential-rejected" // a request without a credential that holds
	HostRejected       Name = "host-rejected"       // a request for a name that is not the server's
	OriginRejected     Name = "origin-rejected"     // a request that a page of another site made
	RoleRejected       Name = "role-rejected"       // a credential that may not do that
	QuotaReached       Name = "quota-reached"       // a credential that had used up a limit
	SessionRejected    Name = "session-rejected"    // the cookie of a browser did not hold
	SignInRejected     Name = "sign-in-rejected"    // a sign-in link that does not hold, or not again
	SignedIn           Name = "signed-in"
	SignedOut          Name = "signed-out"
	SessionEnded       Name = "session-ended" // by its person, from elsewhere, or because its time was over
	KeyCreated         Name = "key-created"
	KeyRevoked         Name = "key-revoked"
	RuleAdded          Name = "rule-added" // one that decides about approvals; the reason is what it does
	RuleRevoked        Name = "rule-revoked"
	ConnectionsClosed  Name = "connections-closed"  // the slowest ones, to make room
	BackupTaken        Name = "backup-taken"        // with everything that is stored
	BackupRestored     Name = "backup-restored"     // into an empty hub
	ConversationErased Name = "conversation-erased" // with the number of questions and a hash of its name
	LinesLost          Name = "lines-lost"          // lines that could not be written
)

// Event is something that happened. All fields but the name may be empty.
type Event struct {
	Name    Name
	Tenant  string
	Key     string // its id; only of a key that exists
	Session string // its id
	Role    string // of the credential
	Route   string // the pattern and never the path, which may name an ask
	Address string // of the client, without the port; see [Address]
	Reason  string // one word, from the program and never from a client
	Count   int    // how many; zero: this one
}

// line is an event in the file.
type line struct {
	Time    time.Time `json:"time"`
	Event   Name      `json:"event"`
	Tenant  string    `json:"tenant,omitempty"`
	Key     string    `json:"key,omitempty"`
	Session string    `json:"session,omitempty"`
	Role    string    `json:"role,omitempty"`
	Route   string    `json:"route,omitempty"`
	Address string    `json:"address,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Count   int       `json:"count,omitempty"`
}

func (e *Event) line(at time.Time) []byte {
	b, err := json.Marshal(line{at.UTC().Truncate(time.Millisecond), e.Name, e.Tenant, e.Key, e.Session, e.Role, e.Route, e.Address, e.Reason, e.Count})
	if err != nil { // a year after 9999
		return nil
	}
	return append(b, '\n')
}

// clean leaves out what is no id, name or address.
func (e *Event) clean() {
	for _, f := range []*string{&e.Key, &e.Session, &e.Role, &e.Reason} {
		if !made(*f, "-_.", 64) {
			*f = ""
		}
	}
	if !made(e.Tenant, "-_.@", 128) {
		e.Tenant = ""
	}
	if !made(e.Route, "-_./{}$ ", 128) {
		e.Route = ""
	}
	if e.Address != socket {
		if ip, err := netip.ParseAddr(e.Address); err != nil || ip.Zone() != "" {
			e.Address = ""
		}
	}
}

// made reports whether a text is of letters, digits and these, and not too long.
func made(text, marks string, most int) bool {
	if len(text) > most {
		return false
	}
	for _, c := range text {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(marks, c)) {
			return false
		}
	}
	return true
}

// socket is the address of who comes by the owner's socket.
const socket = "socket"

// Address returns the address of the client of a request, without the port. Behind
// a proxy that is the proxy's: headers that say more can be made up.
func Address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return socket
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	return ip.Unmap().WithZone("").String()
}
