package httpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// maxID is the most bytes of a name that a client gives: of an ask, a conversation,
// a person, an agent, a request.
const maxID = hub.MaxName

func (s *Server) submit(c *call) error {
	q := c.r.URL.Query()
	wait, err := c.wait(0)
	if err != nil {
		return err
	}
	consume, err := c.flag("consume")
	if err != nil {
		return err
	}
	var a *sayso.Ask
	if name := q.Get("dialect"); name != "" {
		data, err := c.raw()
		if err != nil {
			return err
		}
		if err := sayso.CheckJSON(data); err != nil {
			return badJSON.problem(err.Error())
		}
		var refusal *sayso.Result
		a, refusal, err = s.prepare(name, sayso.Call{
			ID: q.Get("toolCall"), Conversation: q.Get("conversation"), Agents: q["agent"],
			Host: q.Get("host"), Workspace: q.Get("workspace"), Branch: q.Get("branch"), Arguments: data,
		})
		if err != nil {
			return err
		}
		if refusal != nil {
			p := invalid.problem("The tool call is invalid, so nobody was asked. result has the text for the model.")
			p.Result = toolResult(refusal)
			return p
		}
		a.To = q["to"]
	} else {
		a = &sayso.Ask{}
		if err := c.decode(a); err != nil {
			return err
		}
		a.Normalize()
	}
	defer c.leave()
	t, err := s.admit(c, a, wait > 0)
	if err != nil {
		return err
	}
	stored, replayed := t, t.Replayed
	if t, err = s.outcome(c, t, wait, consume); err != nil {
		return c.butStored(stored, err)
	}
	v, ok := c.view(t)
	if !ok {
		return c.problemOf(hub.ErrNotFound)
	}
	status := http.StatusCreated
	switch {
	case t.Open() && wait > 0:
		status = http.StatusAccepted
	case !t.Open() || replayed:
		status = http.StatusOK
	}
	c.w.Header().Set("Location", "/v1/asks/"+v.ID)
	return c.reply(status, v)
}

// butStored says of an error that may pass that the ask is stored all the same:
// whoever waited for it goes on waiting.
func (c *call) butStored(t *hub.Ticket, err error) error {
	p := c.problemOf(err)
	if v, ok := c.view(t); ok && p.Status == http.StatusServiceUnavailable {
		p.Ticket = &v
	}
	return p
}

// prepare reads a call in a dialect.
func (s *Server) prepare(name string, call sayso.Call) (*sayso.Ask, *sayso.Result, error) {
	d, ok := s.dialectByName(name)
	if !ok {
		return nil, nil, noDialect()
	}
	a, refusal := (&sayso.Tool{Dialect: d}).Prepare(call)
	if a != nil {
		a.ID = "" // admit names it
	}
	return a, refusal, nil
}

// admit stores a normalized ask on behalf of the caller, within its quota. A caller
// that waits attends to it until c.leave.
func (s *Server) admit(c *call, a *sayso.Ask, waits bool) (*hub.Ticket, error) {
	key, err := c.idempotencyKey()
	if err != nil {
		return nil, err
	}
	a.Origin.Asker, a.Origin.Via, a.AskedAt = c.who.ID, c.via(), time.Time{}
	if parent := c.r.Header.Get("Traceparent"); a.Origin.Traceparent == "" && sayso.TraceID(parent) != "" {
		a.Origin.Traceparent = parent // one that is not valid is ignored, as the standard wants it
	}
	switch derived := a.DeriveID(); {
	case a.ID != "":
	case key != "":
		a.ID = derivedID("sayso request 1", c.who.ID, key)
	case derived != "":
		a.ID = derivedID("sayso call 1", c.who.ID, derived)
	default:
		if a.ID, err = s.hub.NewID(); err != nil {
			return nil, err
		}
	}
	if err := checkIDs(a); err != nil {
		return nil, err
	}
	addr := hub.AddressOf(c.who.Tenant, a)
	ok, release, err := s.reserve(c, addr)
	if err != nil {
		return nil, err
	}
	if !ok {
		// An ask that is stored already takes no room.
		if t, err := s.replayed(c, addr); err != nil {
			return nil, err
		} else if t == nil {
			return nil, s.limits.tooManyOpen(c.who)
		}
	}
	written, full := s.store(c, copies*int64(c.size+recordExtra))
	if full != nil {
		// Nor does it take any bytes.
		if t, err := s.replayed(c, addr); err != nil || t == nil {
			release()
			return nil, cmp.Or(err, full)
		}
		written = func(int64) {}
	}
	var t *hub.Ticket
	if waits {
		t, c.attends, err = s.hub.Attend(c.r.Context(), c.who.Tenant, a)
	} else {
		t, err = s.hub.Submit(c.r.Context(), c.who.Tenant, a)
	}
	if err != nil || !t.Open() || t.Address != addr {
		release()
	}
	if err == nil && !t.Replayed {
		written(copies * int64(t.Size()+recordExtra))
	} else {
		written(0)
	}
	var other *hub.ChangedError
	if errors.As(err, &other) && key != "" || err == nil && key != "" && !sameAsk(t.Ask, a) {
		return nil, keyReused.problem("")
	}
	return t, err
}

// reserve counts an ask among the open ones of its asker, unless there are as many
// as there may be. release takes that back if it does not come to be.
func (s *Server) reserve(c *call, addr hub.Address) (ok bool, release func(), err error) {
	if s.limits.bounds().Open == math.MaxInt {
		return true, func() {}, nil
	}
	return s.hub.ReserveOpen(c.r.Context(), addr, c.who.ID, s.limits.bounds().Open)
}

// replayed returns the ticket if the ask is stored already, and nil if it is not.
func (s *Server) replayed(c *call, addr hub.Address) (*hub.Ticket, error) {
	t, err := s.hub.Get(c.r.Context(), addr)
	if errors.Is(err, hub.ErrNotFound) {
		return nil, nil
	}
	return t, err
}

// sameAsk reports whether the request was the same, whenever it came.
func sameAsk(stored, sent *sayso.Ask) bool {
	a, b := *stored, *sent
	a.AskedAt, b.AskedAt = time.Time{}, time.Time{}
	a.Origin.Traceparent, b.Origin.Traceparent = "", "" // a retry may be another span
	if a.Approval != nil {                              // a rule may have named who has to answer
		b.To, b.MinAssurance = a.To, a.MinAssurance
	}
	x, errX := json.Marshal(&a)
	y, errY := json.Marshal(&b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// checkIDs refuses names that are longer than a URL should be.
func checkIDs(a *sayso.Ask) error {
	var e sayso.InvalidError
	check := func(path, s string) {
		if len(s) > maxID {
			e.Add(sayso.ErrBadID, path, fmt.Sprintf("has %d bytes; use at most %d", len(s), maxID))
		}
	}
	check("id", a.ID)
	check("origin.conversation", a.Origin.Conversation)
	check("origin.toolCall", a.Origin.ToolCall)
	for i, name := range a.Origin.Agents {
		check(fmt.Sprintf("origin.agents[%d]", i), name)
	}
	for i, name := range a.To {
		check(fmt.Sprintf("to[%d]", i), name)
	}
	return e.OrNil()
}

// idempotencyKey returns the caller's name for this request, if it has one.
func (c *call) idempotencyKey() (string, error) {
	key := c.r.Header.Get("Idempotency-Key")
	if len(key) > maxID || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "", badRequest.problemf("An Idempotency-Key has at most %d printable ASCII characters.", maxID)
	}
	return key, nil
}

// derivedID is the same for the same parts, and for no others.
func derivedID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return spellID(h.Sum(nil)[:16])
}

func spellID(b []byte) string {
	return "ask_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b))
}

// ticket returns the ask that the path names, if the caller sees it.
func (c *call) ticket() (*hub.Ticket, error) {
	addr, err := c.address(c.r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	t, err := c.s.hub.Get(c.r.Context(), addr)
	if err != nil {
		return nil, err
	}
	c.read(t.Size())
	if sees(c.who, t) == nothing {
		return nil, hub.ErrNotFound
	}
	return t, nil
}

// seen returns the ask that the path names, if the caller sees it, perhaps as it
// was a moment ago: a stream was told of it, and a change that begins with what is
// no longer so is begun anew by the hub. Who may do what with an ask never changes.
func (c *call) seen() (*hub.Ticket, error) {
	addr, err := c.address(c.r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	t := c.s.spellings.latest(addr)
	if t == nil {
		return c.ticket()
	}
	if sees(c.who, t) == nothing {
		return nil, hub.ErrNotFound
	}
	return t, nil
}

// address reads a handle. Those of other tenants name nothing.
func (c *call) address(handle string) (hub.Address, error) {
	addr, err := c.s.hub.Find(c.r.Context(), handle)
	if err != nil || addr.Tenant != c.who.Tenant {
		return hub.Address{}, hub.ErrNotFound
	}
	return addr, nil
}
