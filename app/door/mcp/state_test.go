package mcp

import (
	"encoding/base64"
	"math/rand/v2"
	"testing"
	"time"
)

// TestStates: of ten thousand states that are forged, changed, stolen, used or
// out of date, none is taken. The good ones are, once.
func TestStates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	call := callDigest(toolAsk, []byte(`{"questions":[{"question":"A?"}]}`))
	s, foreign := newStates([]byte("the key of this door")), newStates([]byte("the key of another"))
	sign := func(by *states, change func(*state)) string {
		st := state{Ticket: "ticket", Call: call, Who: "ann", Asked: now}
		if change != nil {
			change(&st)
		}
		return by.sign(st)
	}
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n."
	attacks := []func() (token, who string, call []byte, at time.Time){
		func() (string, string, []byte, time.Time) { // another bit
			b, _ := base64.RawURLEncoding.DecodeString(sign(s, nil))
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			return base64.RawURLEncoding.EncodeToString(b), "ann", call, now
		},
		func() (string, string, []byte, time.Time) { // another letter
			b := []byte(sign(s, nil))
			for i := r.IntN(len(b)); ; {
				if c := letters[r.IntN(len(letters))]; c != b[i] {
					b[i] = c
					return string(b), "ann", call, now
				}
			}
		},
		func() (string, string, []byte, time.Time) { // shorter, longer
			token := sign(s, nil)
			if r.IntN(2) == 0 {
				return token[:r.IntN(len(token))], "ann", call, now
			}
			return token + string(letters[r.IntN(len(letters))]), "ann", call, now
		},
		func() (string, string, []byte, time.Time) { // of another's door
			return sign(foreign, nil), "ann", call, now
		},
		func() (string, string, []byte, time.Time) { // the head of one, the tail of another
			a, b := sign(s, nil), sign(s, func(st *state) { st.Ticket = "other" })
			i := 1 + r.IntN(min(len(a), len(b))-2)
			if a[:i]+b[i:] == b || a[:i]+b[i:] == a {
				return "", "ann", call, now
			}
			return a[:i] + b[i:], "ann", call, now
		},
		func() (string, string, []byte, time.Time) { return sign(s, nil), "bob", call, now },
		func() (string, string, []byte, time.Time) {
			return sign(s, nil), "ann", callDigest(toolAsk, []byte(`{"questions":[{"question":"B?"}]}`)), now
		},
		func() (string, string, []byte, time.Time) {
			return sign(s, nil), "ann", callDigest(toolAsync, []byte(`{"questions":[{"question":"A?"}]}`)), now
		},
		func() (string, string, []byte, time.Time) {
			return sign(s, nil), "ann", call, now.Add(stateLife + time.Duration(1+r.IntN(1e9)))
		},
		func() (string, string, []byte, time.Time) { return sign(s, nil), "ann", call, now.Add(-time.Hour) },
		func() (string, string, []byte, time.Time) { // again
			token := sign(s, nil)
			if _, err := s.use(token, "ann", call, now); err != nil {
				t.Fatalf("a good state is refused: %v", err)
			}
			return token, "ann", call, now
		},
	}
	accepted := 0
	for i := range 10_000 {
		token, who, digest, at := attacks[i%len(attacks)]()
		if _, err := s.use(token, who, digest, at); err == nil {
			accepted++
			t.Errorf("attack %d is taken: %q", i%len(attacks), token)
		}
	}
	if accepted != 0 {
		t.Errorf("%d of 10000 accepted", accepted)
	}
}

// TestCallDigest: the arguments are the same however they are spelled.
func TestCallDigest(t *testing.T) {
	t.Parallel()
	same := callDigest("t", []byte(`{"a":1,"b":[true,"x"]}`))
	for args, want := range map[string]bool{
		`{ "b" : [ true , "\u0078" ] , "a" : 1 }`: true,
		`{"a":1,"b":["x",true]}`:                  false,
		`{"a":1,"b":[true,"x"],"c":null}`:         false,
	} {
		if got := string(callDigest("t", []byte(args))) == string(same); got != want {
			t.Errorf("%s is the same: %t", args, got)
		}
	}
}

// TestByItself: who turned a form away.
func TestByItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		action string
		took   time.Duration
		want   bool
	}{
		{"cancel", 3 * time.Millisecond, true},   // Claude Code -p
		{"decline", 20 * time.Millisecond, true}, // Codex without approvals, Copilot -p
		{"decline", 2 * time.Second, false},
		{"cancel", 7 * time.Second, false},
		{"cancel", 5*time.Minute + 100*time.Millisecond, true}, // goose, Cursor
		{"cancel", 60 * time.Second, true},                     // the SDKs
		{"decline", 60 * time.Second, false},
		{"cancel", 90 * time.Second, false},
	} {
		if got := byItself(c.action, c.took); got != c.want {
			t.Errorf("%s after %s: %t", c.action, c.took, got)
		}
	}
}

// TestHolds: a call ends before the client does.
func TestHolds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		client      string
		signs, http bool
		measured    time.Duration
	}{
		{"codex-mcp-client", true, false, 300 * time.Second},
		{"opencode", false, false, 60 * time.Second},
		{"opencode", true, false, 400 * time.Second},
		{"github-copilot-developer", false, false, 180 * time.Second},
		{"gemini-cli-mcp-client", true, false, 600 * time.Second},
		{"qwen-code-mcp-client", false, false, 300 * time.Second},
		{"claude-code", false, true, 60 * time.Second},
		{"claude-code", true, true, 700 * time.Second},
		{"claude-code", false, false, 700 * time.Second},
		{"somebody", false, false, 60 * time.Second},
		{"", true, true, 60 * time.Second},
	} {
		if got := holdFor(c.client, c.signs, c.http); got >= c.measured || got < 40*time.Second {
			t.Errorf("%+v is held for %s", c, got)
		}
	}
}
