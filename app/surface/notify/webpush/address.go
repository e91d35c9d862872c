package webpush

import (
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/saysohq/sayso/app/auth"
)

// services are the hosts of the push services of browsers. A dot in front stands for
// everything below.
var services = []string{
	"fcm.googleapis.com", "jmt17.google.com", // Chrome and its relatives
	".push.services.mozilla.com",
	".push.apple.com",
	".notify.windows.com",
}

// address is what a contact's Address holds.
type address struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
	Origin  string `json:"origin,omitempty"`  // of the page that subscribed
	Browser string `json:"browser,omitempty"` // such as "Safari on iPhone"
}

// keys are what a message is encrypted to.
type keys struct{ public, auth []byte }

const maxEndpoint = 2048

// ErrService says that the address of a push service is not one that is allowed.
var ErrService = errors.New("webpush: not a push service that this hub sends to")

// Address checks what PushManager.subscribe returned in a browser, as JSON, and makes
// the address of a contact of it. The origin is that of the page, such as
// https://my.name; the browser's User-Agent says how it withdraws.
func (c *Channel) Address(subscription []byte, origin, userAgent string) (json.RawMessage, error) {
	var a address
	if len(subscription) > 8<<10 || json.Unmarshal(subscription, &a) != nil {
		return nil, errors.New("webpush: this is no subscription")
	}
	a.Origin, a.Browser = origin, auth.Device(userAgent)
	if _, _, err := c.check(&a); err != nil {
		return nil, err
	}
	return json.Marshal(&a)
}

// Same reports whether two addresses are of one subscription.
func Same(a, b json.RawMessage) bool {
	var x, y address
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x.Endpoint == y.Endpoint
}

// check reads the keys and the endpoint of an address, which a browser chose.
func (c *Channel) check(a *address) (*url.URL, *keys, error) {
	u, err := url.Parse(a.Endpoint)
	if err != nil || len(a.Endpoint) > maxEndpoint || u.Host == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return nil, nil, errors.New("webpush: the subscription has no address to send to")
	}
	if !c.allowed(u) {
		return nil, nil, fmt.Errorf("%w: %q", ErrService, u.Host)
	}
	k := &keys{}
	if k.public, err = decode(a.Keys.P256dh); err == nil {
		_, err = ecdh.P256().NewPublicKey(k.public)
	}
	if err != nil {
		return nil, nil, errors.New("webpush: the subscription has no key that fits")
	}
	if k.auth, err = decode(a.Keys.Auth); err != nil || len(k.auth) != 16 {
		return nil, nil, errors.New("webpush: the subscription has no secret that fits")
	}
	return u, k, nil
}

// allowed reports whether the hub may send there: to push services by https, and to
// what the operator allows.
func (c *Channel) allowed(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && slices.ContainsFunc(services, func(s string) bool {
		return host == s || s[0] == '.' && strings.HasSuffix(host, s)
	}) {
		return true
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return false
	}
	return slices.ContainsFunc(c.opts.Allow, func(a string) bool {
		name, port, err := net.SplitHostPort(a)
		if err != nil {
			name, port = strings.Trim(a, "[]"), ""
		}
		return strings.ToLower(name) == host && (port == "" || port == u.Port())
	})
}

// apple reports whether it is Apple's service, behind which is a browser that ends a
// subscription whose pushes show nothing.
func (a *address) apple() bool {
	u, err := url.Parse(a.Endpoint)
	return err == nil && strings.HasSuffix(strings.ToLower(u.Hostname()), ".push.apple.com") || strings.HasPrefix(a.Browser, "Safari")
}

func decode(s string) ([]byte, error) {
	if len(s) > 256 {
		return nil, base64.CorruptInputError(256)
	}
	return b64.DecodeString(strings.TrimRight(s, "="))
}
