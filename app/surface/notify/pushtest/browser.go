package pushtest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
	"sync"
)

// Browser is a browser that is played: it decrypts what comes, and shows it as the
// inbox's worker would.
type Browser struct {
	Channel string

	s    *Server
	key  *ecdh.PrivateKey
	auth []byte

	mu    sync.Mutex
	shown map[string]Shown
	rang  int
}

// Shown is a notification on the screen of a browser.
type Shown struct {
	Title, Body, Navigate, Tag string
	Silent, Renotify           bool
	Actions                    []struct{ Action, Title, Navigate string }
}

// Browser subscribes a browser for a hub with this public key.
func (s *Server) Browser(applicationServerKey string) *Browser {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &Browser{Channel: uuid(), s: s, key: key, auth: make([]byte, 16), shown: map[string]Shown{}}
	rand.Read(b.auth)
	s.subscribe(b.Channel, applicationServerKey, b, nil)
	return b
}

// Subscription is what PushManager.subscribe returned, as JSON.
func (b *Browser) Subscription() []byte {
	return []byte(`{"endpoint":"` + b.s.endpoint(b.Channel) + `","expirationTime":null,"keys":{"p256dh":"` +
		b64.EncodeToString(b.key.PublicKey().Bytes()) + `","auth":"` + b64.EncodeToString(b.auth) + `"}}`)
}

// Shown are the notifications on the screen, by tag.
func (b *Browser) Shown() map[string]Shown {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.shown)
}

// Rang is how often a notification made itself noticed.
func (b *Browser) Rang() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rang
}

func (b *Browser) take(m *Message) error {
	plain, err := b.open(m.Body)
	if err != nil {
		return err
	}
	m.Plain = plain
	var d struct {
		WebPush      int `json:"web_push"`
		Notification *Shown
		Gone         bool
		Tag          string
	}
	if err := json.Unmarshal(plain, &d); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case d.Gone && d.Tag != "":
		delete(b.shown, d.Tag)
	case d.WebPush != 8030 || d.Notification == nil || d.Notification.Title == "" || d.Notification.Navigate == "":
		return errors.New("a message of no form: " + string(plain))
	default:
		n := *d.Notification
		if _, had := b.shown[n.Tag]; !n.Silent && (!had || n.Renotify) {
			b.rang++
		}
		b.shown[n.Tag] = n
	}
	return nil
}

// open decrypts a body (RFC 8291).
func (b *Browser) open(body []byte) ([]byte, error) {
	salt, public := body[:16], body[21:86]
	peer, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	shared, err := b.key.ECDH(peer)
	if err != nil {
		return nil, err
	}
	derive := func(secret, salt []byte, info string, n int) []byte {
		k, _ := hkdf.Key(sha256.New, secret, salt, info, n)
		return k
	}
	ikm := derive(shared, b.auth, "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(public), 32)
	block, err := aes.NewCipher(derive(ikm, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, derive(ikm, salt, "Content-Encoding: nonce\x00", 12), body[86:], nil)
	if err != nil {
		return nil, err
	}
	plain = bytes.TrimRight(plain, "\x00")
	if len(plain) == 0 || plain[len(plain)-1] != 2 {
		return nil, errors.New("the last record has no delimiter")
	}
	return plain[:len(plain)-1], nil
}
