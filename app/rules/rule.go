package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// The limits of rules. All rules of a tenant fit into one record.
const (
	LongestAllow = 30 * 24 * time.Hour
	maxCount     = 1_000_000
	maxLine      = 256 // bytes of a name, of a glob
	maxText      = 512 // of a text that is looked for, of a message, a note
	maxPath      = 1024
	maxPeople    = 32
	MaxRules     = 100 // live ones that one person has made
	maxDead      = 50  // that are kept for a while, of all people
	maxRecord    = hub.MaxData - 16<<10
)

// Surface is where rules answer, in the records of what they decided.
const Surface = "rules"

// book is the record of a tenant's rules.
type book struct {
	V     int        `json:"v"`
	Rules []hub.Rule `json:"rules"` // in the order in which they were made
}

const bookVersion = 1

// parse reads a record. It returns every rule or none: a rule that is left out because
// it cannot be read might have been one that denies.
func parse(data []byte) (*book, error) {
	if err := sayso.CheckJSON(data); err != nil {
		return nil, fmt.Errorf("rules: reading the rules: %w", err)
	}
	var version struct{ V int }
	if json.Unmarshal(data, &version) == nil && version.V > bookVersion {
		return nil, fmt.Errorf("rules: the rules were stored by a newer program (version %d, this one reads %d): upgrade this one", version.V, bookVersion)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var b book
	if err := d.Decode(&b); err != nil {
		return nil, fmt.Errorf("rules: reading the rules: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || b.V != bookVersion {
		return nil, errors.New("rules: reading the rules: this is no record of rules")
	}
	seen := map[string]bool{}
	for i := range b.Rules {
		r := &b.Rules[i]
		if err := check(r); err != nil {
			return nil, fmt.Errorf("rules: reading rule %q: %w", r.ID, err)
		}
		if seen[r.ID] {
			return nil, fmt.Errorf("rules: rule %q is there twice", r.ID)
		}
		seen[r.ID] = true
	}
	return &b, nil
}

// checker collects what is wrong with a rule.
type checker struct{ sayso.InvalidError }

func (c *checker) bad(path, format string, args ...any) {
	c.Add(ErrRule, path, fmt.Sprintf(format, args...))
}

// texts takes pairs of a path and what is there.
func (c *checker) texts(most int, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if s := pairs[i+1]; len(s) > most || !utf8.ValidString(s) {
			c.bad(pairs[i], "has %d bytes; use UTF-8 of at most %d bytes", len(s), most)
		}
	}
}

// check reports everything that keeps a rule from being one, as an
// [*sayso.InvalidError]. Nothing gets into a record, or out of it, without this.
func check(r *hub.Rule) error {
	var c checker
	if r.ID == "" || r.Made.IsZero() {
		c.bad("id", "is empty, or the rule does not say when it was made")
	}
	c.texts(maxLine, "id", r.ID, "by", r.By, "session", r.Session, "revokedBy", r.RevokedBy)
	c.texts(maxText, "note", r.Note, "message", r.Message)
	if r.Count < 0 || r.Count > maxCount || r.Used < 0 {
		c.bad("count", "is %d; use a number from 1 to %d", r.Count, maxCount)
	}
	allows, selects := r.Act == hub.RuleAllow, r.Act == hub.RuleDeny || r.Act == hub.RuleRequire
	switch {
	case !allows && !selects:
		c.bad("act", "is %q; use allow, deny or require", r.Act)
	case allows != (r.Exact != nil) || selects != (r.Pattern != nil):
		c.bad("act", "is %q, which does not go with what the rule matches: only one exact call can be allowed, and only a pattern denied or required", r.Act)
	case allows:
		c.allow(r)
	case selects:
		c.pattern(r)
	}
	if (len(r.People) > 0 || r.Assurance != 0) && r.Act != hub.RuleRequire {
		c.bad("people", "goes with a rule that requires somebody, and this one is to %s", r.Act)
	}
	if r.Message != "" && r.Act != hub.RuleDeny {
		c.bad("message", "goes with a rule that denies, and this one is to %s", r.Act)
	}
	return c.OrNil()
}

func (c *checker) allow(r *hub.Rule) {
	if r.Until.IsZero() || r.Until.Sub(r.Made) > LongestAllow {
		c.bad("until", "is missing or too late; a rule that allows ends within 30 days")
	}
	x := r.Exact
	if len(x.Input) != 64 || len(x.Shown) != 64 || x.Tool == "" || !slices.Contains(allowable, x.Kind) {
		c.bad("exact", "does not name one call of a tool that a rule can allow")
	}
	c.texts(maxLine, "exact.asker", x.Asker, "exact.via", x.Via, "exact.host", x.Host, "exact.tool", x.Tool, "exact.mode", x.Mode,
		"exact.input", x.Input, "exact.shown", x.Shown, "exact.files", x.Files)
	c.texts(maxPath, "exact.workspace", x.Workspace, "exact.cwd", x.Cwd, "exact.summary", x.Summary)
	for _, list := range [][]string{x.Agents, x.Why, x.Missing} {
		if len(list) > maxPeople {
			c.bad("exact", "has a list of %d; use at most %d", len(list), maxPeople)
		}
		for _, s := range list {
			c.texts(maxText, "exact", s)
		}
	}
}

func (c *checker) pattern(r *hub.Rule) {
	p := r.Pattern
	if *p == (hub.RulePattern{}) {
		c.bad("pattern", "is empty, and would match everything; if that is meant, use the tool *")
	}
	if p.Kind != "" && !slices.Contains(sayso.ApprovalKinds(), p.Kind) {
		c.bad("pattern.kind", "is %q; use one of %q", p.Kind, sayso.ApprovalKinds())
	}
	c.texts(maxLine, "pattern.tool", p.Tool, "pattern.host", p.Host, "pattern.agent", p.Agent)
	c.texts(maxPath, "pattern.workspace", p.Workspace, "pattern.cwd", p.Cwd)
	c.texts(maxText, "pattern.contains", p.Contains, "pattern.regexp", p.Regexp)
	if _, err := regexp.Compile(p.Regexp); err != nil {
		c.bad("pattern.regexp", "cannot be read: %v", err)
	}
	if r.Count != 0 || r.Used != 0 {
		c.bad("count", "goes with a rule that allows, and this one is to %s", r.Act)
	}
	if r.Act != hub.RuleRequire {
		return
	}
	if len(r.People) == 0 && r.Assurance == 0 || len(r.People) > maxPeople {
		c.bad("people", "has %d; name 1 to %d people who have to answer, or an assurance", len(r.People), maxPeople)
	}
	if r.Assurance < 0 || r.Assurance > sayso.AssurancePasskey {
		c.bad("assurance", "is %d; use 0 to %d", r.Assurance, sayso.AssurancePasskey)
	}
	for _, name := range r.People {
		if c.texts(maxLine, "people", name); name == "" {
			c.bad("people", "has an empty name")
		}
	}
}

// ErrRule is what an [*sayso.InvalidError] wraps if a rule is none.
var ErrRule = errors.New("not a rule")
