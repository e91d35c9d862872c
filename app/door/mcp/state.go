package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso"
)

// stateLife is how long a form may stay open in a client: as long as the hub
// keeps what is closed.
const stateLife = 7 * 24 * time.Hour

// errState does not say what is wrong with a state: who made it up would learn.
var errState = errors.New("the requestState is unknown, used or expired; call again without it")

// state is what a client brings back with the input it was asked for. It comes
// from outside, so it is signed; it is good for one use, by the caller it was
// given to, of the call it was given for.
type state struct {
	Ticket string         `json:"t"`
	Call   []byte         `json:"c"` // digest of the tool and its arguments
	Who    string         `json:"w"`
	Asked  time.Time      `json:"a"`
	Round  int            `json:"r"`           // how many forms there were
	Unsure *sayso.Outcome `json:"u,omitempty"` // what the form asks to confirm
	Nonce  string         `json:"n"`
}

// states signs states and sees to it that each is used once.
type states struct {
	key  []byte
	mu   sync.Mutex
	used map[string]time.Time // nonces, and when they end by themselves
}

func newStates(key []byte) *states {
	if len(key) == 0 {
		key = make([]byte, 32)
		rand.Read(key) // never fails
	}
	return &states{key: key, used: map[string]time.Time{}}
}

func (s *states) mac(payload []byte) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write([]byte("sayso mcp state 1"))
	m.Write(payload)
	return m.Sum(nil)
}

func (s *states) sign(st state) string {
	st.Nonce = rand.Text()
	payload := raw(st)
	return base64.RawURLEncoding.EncodeToString(append(payload, s.mac(payload)...))
}

// use returns a state that is good now, and never again.
func (s *states) use(token, who string, call []byte, now time.Time) (*state, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) <= sha256.Size || strings.ContainsAny(token, "\r\n") { // which base64 passes over
		return nil, errState
	}
	payload, mac := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	var st state
	switch {
	case !hmac.Equal(mac, s.mac(payload)):
		return nil, errState
	case json.Unmarshal(payload, &st) != nil:
		return nil, errState
	case st.Who != who, !hmac.Equal(st.Call, call):
		return nil, errState
	case now.Before(st.Asked.Add(-time.Minute)), now.After(st.Asked.Add(stateLife)):
		return nil, errState
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.used[st.Nonce]; ok {
		return nil, errState
	}
	if len(s.used) > 10_000 {
		for nonce, end := range s.used {
			if now.After(end) {
				delete(s.used, nonce)
			}
		}
	}
	s.used[st.Nonce] = st.Asked.Add(stateLife)
	return &st, nil
}

// free makes a state good for use again, after a call that ended too early to use it.
func (s *states) free(st *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.used, st.Nonce)
}

// callDigest tells calls apart by the tool and its arguments, however those are
// spelled.
func callDigest(tool string, arguments json.RawMessage) []byte {
	h := sha256.New()
	h.Write([]byte(tool))
	h.Write([]byte{0})
	if v, err := sayso.ReadJSON(arguments); err == nil {
		h.Write(raw(v))
	} else {
		h.Write(arguments)
	}
	return h.Sum(nil)
}
