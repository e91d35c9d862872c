package attacktest

import (
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// TestHeld has the attacks that never succeeded and must not begin to. All of them
// are made on one hub, one after the other.
//
// The long tables stand where the guards do: TestMatrix, TestForeignPages,
// TestSmuggling and TestQuotaRace in app/httpapi, TestPayloads in app/door/mcp,
// TestHostileWeb and TestForeignSites in app/surface/web, and the corpus of
// internal/safetext.
func TestHeld(t *testing.T) {
	w := newWorld(t)
	for role, all := range map[string][]string{
		"asker": {"alice", "mallory", "racer", "writer", "bomber"}, "answerer": {"bob", "eve", "judge", "temp"}, "observer": {"olga"}, "admin": {"adam"},
	} {
		for _, who := range all {
			w.key(role, who)
		}
	}
	w.start(w.permissive("serve", "--listen", "127.0.0.1:0"))
	slowSenders := sendSlowly(w)
	for _, attack := range []struct {
		name string
		by   func(*world)
	}{
		{"foreign pages of the API", foreignPages},
		{"foreign pages of the web inbox", foreignWebPages},
		{"other roles", otherRoles},
		{"other tenants", otherTenants},
		{"another asker's session", foreignSession},
		{"a login address used twice", loginTwice},
		{"a digest of something else", wrongDigest},
		{"undo against consume", undoAgainstConsume},
		{"a revoked key", revokedKey},
		{"an ask that wants more", wantsMore},
		{"an ask for one person", forOnePerson},
		{"JSON with two meanings", twoMeanings},
		{"hostile texts", hostileTexts},
		{"Markdown bombs", markdownBombs},
		{"a flood of asks", floodOfAsks},
		{"canaries in logs", canaries},
		{"file modes", fileModes},
		{"another user", otherUser},
		{"links in place of folders", links},
		{"slow senders", slowSenders},
	} {
		t.Run(attack.name, func(t *testing.T) { attack.by(w.in(t)) })
	}
}

// held are the guards of TestHeld, each turned off.
var held = []mutanttest.Mutant{
	{
		Name: "the API answers to every name", Test: "TestHeld/foreign_pages_of_the_API", Says: `with \[Host evil.test\]: \d+, want 421`,
		Edits: []mutanttest.Edit{{File: "app/auth/pages.go", Old: "return slices.Contains(*p.hosts.Load(),", New: "return MUTANT || slices.Contains(*p.hosts.Load(),"}},
	},
	{
		Name: "the API serves foreign pages", Test: "TestHeld/foreign_pages_of_the_API", Says: `with \[Origin null\]: \d+, want 403`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/guard.go", Old: "if !c.s.pages.SameOrigin(c.r) && !c.s.unguarded {", New: "if !c.s.pages.SameOrigin(c.r) && !c.s.unguarded && !MUTANT {"}},
	},
	{
		Name: "the web inbox answers to every name", Test: "TestHeld/foreign_pages_of_the_web_inbox", Says: `with \[Host evil.test\]: \d+, want 421`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/site.go", Old: "if !s.knownHost(r.Host) {", New: "if !s.knownHost(r.Host) && !MUTANT {"}},
	},
	{
		Name: "the web inbox takes the forms of foreign pages", Test: "TestHeld/foreign_pages_of_the_web_inbox", Says: `POST with \[Origin null .*want 403`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/site.go", Old: "if err := s.origin.Check(r); err != nil {", New: "if err := s.origin.Check(r); err != nil && !MUTANT {"}},
	},
	{
		Name: "foreign pages read the web inbox", Test: "TestHeld/foreign_pages_of_the_web_inbox", Says: `GET with \[Sec-Fetch-Site cross-site .*want 403`,
		Edits: []mutanttest.Edit{{File: "app/surface/web/site.go", Old: "if site := r.Header.Get(\"Sec-Fetch-Site\"); site == \"cross-site\" || site == \"same-site\" {", New: "if site := r.Header.Get(\"Sec-Fetch-Site\"); !MUTANT && (site == \"cross-site\" || site == \"same-site\") {"}},
	},
	{
		Name: "every role may do everything", Test: "TestHeld/other_roles", Says: `want \[40\d`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/server.go", Old: "if !c.who.Role.Is(c.route.rule.roles) {", New: "if !c.who.Role.Is(c.route.rule.roles) && !MUTANT {"}},
	},
	{
		Name: "handles of other tenants count", Test: "TestHeld/other_tenants", Says: `of another tenant: 200`,
		Edits: []mutanttest.Edit{
			{File: "app/httpapi/asks.go", Old: "if err != nil || addr.Tenant != c.who.Tenant {", New: "if err != nil || addr.Tenant != c.who.Tenant && !MUTANT {"},
			{File: "app/httpapi/view.go", Old: "case t.Address.Tenant != who.Tenant:", New: "case t.Address.Tenant != who.Tenant && !MUTANT:"},
		},
	},
	{
		Name: "a login address works twice", Test: "TestHeld/a_login_address_used_twice", Says: `the second use: 303`,
		Edits: []mutanttest.Edit{{File: "app/auth/links.go", Old: "if r.Closed {", New: "if r.Closed && !MUTANT {"}},
	},
	{
		Name: "the digest does not count", Test: "TestHeld/a_digest_of_something_else", Says: `answering with the digest .*: 200, want 409`,
		Edits: []mutanttest.Edit{{File: "hub/judge.go", Old: "if shown != t.Digest && (shown != \"\" || decision) {", New: "if shown != t.Digest && (shown != \"\" || decision) && !MUTANT {"}},
	},
	{
		Name: "what the agent has is undone", Test: "TestHeld/undo_against_consume", Says: `an answer that the agent has was taken back`,
		Edits: []mutanttest.Edit{{File: "hub/after.go", Old: "\t\tcase !t.Consumed.IsZero() || t.Changed():\n", New: "\t\tcase (!t.Consumed.IsZero() || t.Changed()) && !MUTANT:\n"}},
	},
	{
		Name: "streams outlive their key", Test: "TestHeld/a_revoked_key", Says: `goes on with a revoked key`,
		Edits: []mutanttest.Edit{{File: "app/auth/principal.go", Old: "\tif p.life != nil {\n\t\tstop", New: "\tif p.life != nil && !MUTANT {\n\t\tstop"}},
	},
	{
		Name: "folded names are read", Test: "TestHeld/JSON_with_two_meanings", Says: `folded names: 201`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/body.go", Old: "\tread, err := sayso.ParseJSON(data)\n", New: "\tif MUTANT {\n\t\treturn json.Unmarshal(data, v)\n\t}\n\tread, err := sayso.ParseJSON(data)\n"}},
	},
	{
		Name: "texts are not cleaned", Test: "TestHeld/hostile_texts", Says: `has U\+001B`,
		Edits: []mutanttest.Edit{{File: "internal/safetext/safetext.go", Old: "func Block(s string) string { return clean(s, false) }", New: "func Block(s string) string {\n\tif MUTANT {\n\t\treturn s\n\t}\n\treturn clean(s, false)\n}"}},
	},
	{
		Name: "Markdown of any weight is read", Test: "TestHeld/Markdown_bombs", Says: `bytes of .* after|deadline exceeded`,
		Edits: []mutanttest.Edit{{File: "normalize.go", Old: "return n > maxMarks ||", New: "return n > maxMarks && !MUTANT ||"}},
	},
	{
		Name: "the token is open to everybody", Test: "TestHeld/file_modes", Says: `token is open to others`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/serve.go", Old: "[]byte(token+\"\\n\"), 0o600)", New: "[]byte(token+\"\\n\"), map[bool]os.FileMode{false: 0o600, true: 0o666}[MUTANT])"}},
	},
	{
		Name: "every user may use the socket", Test: "TestHeld/another_user", Says: `another user runs .* list --hub`,
		Edits: []mutanttest.Edit{{File: "app/auth/peer.go", Old: "case uid != p.UID, len(", New: "case uid != p.UID && !MUTANT, len("}},
	},
	{
		Name: "folders may be links", Test: "TestHeld/links_in_place_of_folders", Says: `the hub writes .* there`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/places.go", Old: "\tinfo, err := os.Lstat(dir)\n", New: "\tinfo, err := os.Lstat(dir)\n\tif MUTANT {\n\t\tinfo, err = os.Stat(dir)\n\t}\n"}},
	},
	{
		Name: "the log has the addresses of requests", Test: "TestHeld/canaries_in_logs", Says: `standard error has the canary`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/log.go", Old: "\ts.counts.request(w.route, status, ", New: "\tif MUTANT {\n\t\ts.opts.Log.Error(\"request\", \"path\", r.URL.String())\n\t}\n\ts.counts.request(w.route, status, "}},
	},
	{
		Name: "secrets are stored", Test: "TestHeld/an_ask_that_wants_more", Says: `a secret is asked for: 201`,
		Edits: []mutanttest.Edit{{File: "hub/submit.go", Old: "\t\t\te.Add(ErrSecret,", New: "\t\t\tif MUTANT {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\te.Add(ErrSecret,"}},
	},
	{
		Name: "an ask to one person is for everybody", Test: "TestHeld/an_ask_for_one_person", Says: `eve on an ask to bob: 200`,
		Edits: []mutanttest.Edit{{File: "app/httpapi/view.go", Old: "(who.ID == \"\" || t.MayAnswer(who.ID))", New: "(who.ID == \"\" || MUTANT || t.MayAnswer(who.ID))"}},
	},
}
