package webpush

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func channel(t testing.TB, allow ...string) *Channel {
	t.Helper()
	key, err := keyOf([]byte(strings.Repeat("test", 10)))
	if err != nil {
		t.Fatal(err)
	}
	return New(&Options{Key: key, Allow: allow})
}

const (
	goodKey  = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	goodAuth = "BTBZMqHH6r4Tts7J_aSIgg"
)

func TestAllowed(t *testing.T) {
	c := channel(t, "localhost:4711", "push.example", "[::1]:9")
	for at, want := range map[string]bool{
		"https://fcm.googleapis.com/fcm/send/abc":                 true,
		"https://updates.push.services.mozilla.com/wpush/v2/abc":  true,
		"https://web.push.apple.com/abc":                          true,
		"https://wns2-by3p.notify.windows.com/w/?token=abc":       true,
		"https://FCM.googleapis.com/x":                            true,
		"https://fcm.googleapis.com:443/x":                        true,
		"http://localhost:4711/push/1":                            true,
		"https://push.example/1":                                  true,
		"https://push.example:8443/1":                             true,
		"http://[::1]:9/1":                                        true,
		"http://fcm.googleapis.com/x":                             false,
		"https://fcm.googleapis.com:22/x":                         false,
		"https://evil.fcm.googleapis.com/x":                       false,
		"https://fcm.googleapis.com.evil.example/x":               false,
		"https://push.services.mozilla.com/x":                     false,
		"https://xpush.services.mozilla.com/x":                    false,
		"https://evil.example/.push.services.mozilla.com":         false,
		"https://evil.example#.push.apple.com":                    false,
		"http://localhost:4712/push/1":                            false,
		"http://localhost/push/1":                                 false,
		"http://169.254.169.254/latest":                           false,
		"http://127.0.0.1:4711/":                                  false,
		"gopher://push.example/1":                                 false,
		"file:///etc/passwd":                                      false,
		"https://updates.push.services.mozilla.com.:443/wpush/v2": false,
	} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.allowed(u); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}

func TestAddress(t *testing.T) {
	c := channel(t)
	sub := func(endpoint, key, auth string) []byte {
		b, _ := json.Marshal(map[string]any{"endpoint": endpoint, "expirationTime": nil, "keys": map[string]string{"p256dh": key, "auth": auth}})
		return b
	}
	const at = "https://updates.push.services.mozilla.com/wpush/v2/abc"
	good, err := c.Address(sub(at, goodKey, goodAuth), "https://my.name", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	if err != nil {
		t.Fatal(err)
	}
	if want := `"origin":"https://my.name","browser":"Firefox on Linux"}`; !strings.HasSuffix(string(good), want) {
		t.Errorf("got %s", good)
	}
	padded, err := c.Address(sub(at, goodKey+"=", goodAuth+"=="), "https://other.name", "")
	if err != nil || !Same(good, padded) {
		t.Errorf("the same subscription, padded: %v", err)
	}
	for name, b := range map[string][]byte{
		"no JSON":             []byte("x"),
		"an array":            []byte("[]"),
		"too long":            sub(at+strings.Repeat("x", 9000), goodKey, goodAuth),
		"long endpoint":       sub(at+strings.Repeat("x", 2048), goodKey, goodAuth),
		"no endpoint":         sub("", goodKey, goodAuth),
		"inside":              sub("http://127.0.0.1:8080/", goodKey, goodAuth),
		"user in the address": sub("https://a:b@fcm.googleapis.com/x", goodKey, goodAuth),
		"not on the curve":    sub(at, b64.EncodeToString(make([]byte, 65)), goodAuth),
		"short key":           sub(at, "BCVx", goodAuth),
		"short secret":        sub(at, goodKey, "BTBZ"),
		"long secret":         sub(at, goodKey, goodAuth+goodAuth),
		"not base64":          sub(at, "!!!", goodAuth),
		"very long key":       sub(at, strings.Repeat("A", 300), goodAuth),
	} {
		if got, err := c.Address(b, "https://my.name", ""); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// FuzzAddress: whatever a browser sends, what is taken can be sent to.
func FuzzAddress(f *testing.F) {
	f.Add([]byte(`{"endpoint":"https://fcm.googleapis.com/x","keys":{"p256dh":"` + goodKey + `","auth":"` + goodAuth + `"}}`))
	f.Add([]byte(`{"endpoint":"http://localhost:1/x","keys":{}}`))
	c := channel(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := c.Address(b, "https://my.name", "")
		if err != nil {
			return
		}
		var a address
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatal(err)
		}
		u, k, err := c.check(&a)
		if err != nil || u.Scheme != "https" {
			t.Fatalf("%s: %v", got, err)
		}
		if _, err := seal([]byte("x"), k); err != nil {
			t.Fatal(err)
		}
	})
}
