package pushtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxBody is the longest body that services take.
const maxBody = 4096

var topics = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// check takes a request to a channel only if no service could object to it: it is a
// POST with a TTL, a Topic of at most 32 characters of base64url, a known Urgency, one
// record of aes128gcm of at most 4,096 bytes with the key of the sender, and a token
// that is signed by the key that the subscription is bound to, for this service and
// for a day at most, with a contact that exists.
func (s *Server) check(r *http.Request, c *channel, body []byte) (*Message, int, error) {
	bad := func(format string, a ...any) (*Message, int, error) {
		return nil, http.StatusBadRequest, fmt.Errorf(format, a...)
	}
	if r.Method != http.MethodPost {
		return nil, http.StatusMethodNotAllowed, errors.New("not a POST")
	}
	m := &Message{Channel: c.id, Topic: r.Header.Get("Topic"), Urgency: r.Header.Get("Urgency"), Body: body}
	ttl, err := strconv.ParseUint(r.Header.Get("TTL"), 10, 31)
	if err != nil {
		return bad("TTL %q", r.Header.Get("TTL"))
	}
	m.TTL = int(ttl)
	if _, has := r.Header["Topic"]; has && !topics.MatchString(m.Topic) {
		return bad("Topic %q", m.Topic)
	}
	switch m.Urgency {
	case "", "very-low", "low", "normal", "high":
	default:
		return bad("Urgency %q", m.Urgency)
	}
	if len(body) > maxBody {
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("%d bytes", len(body))
	}
	if e := r.Header.Get("Content-Encoding"); e != "aes128gcm" {
		return nil, http.StatusUnsupportedMediaType, fmt.Errorf("Content-Encoding %q", e)
	}
	const header = 16 + 4 + 1 + 65
	if len(body) < header+18 || body[20] != 65 || body[21] != 4 {
		return bad("the body does not begin with a salt, a size and a key")
	}
	if size := binary.BigEndian.Uint32(body[16:20]); size < 18 || len(body)-header > int(size) {
		return bad("more than one record of %d bytes", size)
	}
	m.Subject, err = token(r.Header.Get("Authorization"), c.key, s.base, time.Now())
	if err != nil {
		return nil, http.StatusForbidden, err
	}
	return m, 0, nil
}

// token checks what RFC 8292 wants, and returns the subject.
func token(header, key, origin string, now time.Time) (string, error) {
	rest, ok := strings.CutPrefix(header, "vapid ")
	if !ok {
		return "", errors.New("no vapid token")
	}
	part := map[string]string{}
	for p := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		part[name] = value
	}
	public, err := b64.DecodeString(part["k"])
	if err != nil || len(public) != 65 {
		return "", errors.New("no key in the vapid header")
	}
	if key != "" && part["k"] != strings.TrimRight(key, "=") {
		return "", errors.New("the subscription is bound to another key")
	}
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), public)
	if err != nil {
		return "", err
	}
	piece := strings.Split(part["t"], ".")
	if len(piece) != 3 {
		return "", errors.New("the token has not three parts")
	}
	sig, err := b64.DecodeString(piece[2])
	if err != nil || len(sig) != 64 {
		return "", errors.New("the signature has not 64 bytes")
	}
	sum := sha256.Sum256([]byte(piece[0] + "." + piece[1]))
	if !ecdsa.Verify(pub, sum[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])) {
		return "", errors.New("the signature of the token is wrong")
	}
	var head struct{ Typ, Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := errors.Join(unpack(piece[0], &head), unpack(piece[1], &claims)); err != nil {
		return "", err
	}
	exp := time.Unix(claims.Exp, 0)
	sub, err := url.Parse(claims.Sub)
	switch {
	case head.Typ != "JWT" || head.Alg != "ES256":
		return "", fmt.Errorf("a token of %s %s", head.Typ, head.Alg)
	case claims.Aud != origin:
		return "", fmt.Errorf("a token for %q", claims.Aud)
	case !exp.After(now) || exp.After(now.Add(24*time.Hour)):
		return "", fmt.Errorf("a token until %v", exp)
	case err != nil || sub.Scheme != "https" && sub.Scheme != "mailto":
		return "", fmt.Errorf("the subject %q", claims.Sub)
	}
	for _, none := range []string{"localhost", ".local", ".invalid"} { // Apple refuses them
		if strings.HasSuffix(sub.Host+sub.Opaque, none) {
			return "", fmt.Errorf("the subject %q is nobody", claims.Sub)
		}
	}
	return claims.Sub, nil
}

func unpack(s string, v any) error {
	b, err := b64.DecodeString(s)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
