package webhook

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// The vectors of the specification's own libraries.
func TestVector(t *testing.T) {
	key, err := parseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1614265330, 0)
	const id, want = "msg_p5jXN8AQM9LWM0D4loKWxJek", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if got := sign([][]byte{key}, id, at, []byte(`{"test": 2432232314}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := sign([][]byte{key, key}, id, at, []byte(`{"test": 2432232314}`)); got != want+" "+want {
		t.Errorf("with two secrets: %s", got)
	}
}

func TestSecret(t *testing.T) {
	of := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for _, good := range []string{of(24), of(32), of(64), NewSecret()} {
		if _, err := parseSecret(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "whsec_", of(23), of(65), strings.TrimPrefix(of(32), "whsec_"), "whsec_" + strings.Repeat("!", 32), of(32) + " "} {
		if _, err := parseSecret(bad); err == nil {
			t.Errorf("%q is taken", bad)
		} else if bad != "" && strings.Contains(err.Error(), bad) && bad != "whsec_" {
			t.Errorf("the secret is in the error: %v", err)
		}
	}
	if one, other := NewSecret(), NewSecret(); one == other {
		t.Error("two secrets are the same")
	}
}

func TestRotate(t *testing.T) {
	a, err := NewAddress("https://hooks.example.com/sayso", nil)
	if err != nil {
		t.Fatal(err)
	}
	first := a.Secrets[0]
	second := a.Rotate()
	if len(a.Secrets) != 2 || a.Secrets[0] != second || a.Secrets[1] != first {
		t.Error(a.Secrets)
	}
	third := a.Rotate()
	if len(a.Secrets) != 2 || a.Secrets[0] != third || a.Secrets[1] != second {
		t.Error(a.Secrets)
	}
	if a.Name() != "hooks.example.com" {
		t.Error(a.Name())
	}
	for _, bad := range []string{"", "http://example.org/", "https://10.0.0.1/", "https://u:p@example.org/", "https://example.org/" + strings.Repeat("x", 2000)} {
		if _, err := NewAddress(bad, nil); err == nil {
			t.Errorf("%.40q is taken", bad)
		}
	}
}
