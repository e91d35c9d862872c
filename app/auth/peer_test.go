package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/saysohq/sayso/hub"
)

func TestBootAndFirst(t *testing.T) {
	t.Parallel()
	boot, token := NewBoot(Principal{Tenant: "local", Role: Answerer})
	keys := openKeys(t, hub.NewMemory(nil), nil)
	secret, _, err := keys.Create(t.Context(), KeySpec{Role: Asker, Tenant: "local", Subject: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	peers := &Peers{UID: 7, Who: Principal{Tenant: "local", Role: Everything}}
	all := First(keys, boot, peers)
	for name, c := range map[string]struct {
		token string
		uid   any
		role  Role
		err   error
	}{
		"a key":                           {secret, nil, Asker, nil},
		"the token":                       {token, nil, Answerer, nil},
		"another token":                   {bootPrefix + "x", nil, 0, ErrCredential},
		"nobody":                          {"", nil, 0, ErrNoCredential},
		"the user":                        {"", 7, Everything, nil},
		"another user":                    {"", 8, 0, ErrCredential},
		"the user with an asker's key":    {secret, 7, Asker, nil},
		"the user with a bad key":         {secret + "x", 7, 0, ErrCredential},
		"the user with an unknown scheme": {"x", 7, 0, ErrCredential},
	} {
		r := with(c.token)
		if c.uid != nil {
			r = r.WithContext(context.WithValue(r.Context(), peerKey{}, c.uid))
		}
		p, err := all.Authenticate(r)
		if !errors.Is(err, c.err) || err == nil && p.Role != c.role {
			t.Errorf("%s: %+v %v", name, p, err)
		}
	}
	if !boot.Holds(token) || boot.Holds("") {
		t.Error("the token does not hold")
	}
}

func TestPeers(t *testing.T) {
	t.Parallel()
	peers := &Peers{UID: os.Getuid(), Who: Principal{Tenant: "local", ID: "ada", Role: Everything}}
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *Principal, 1)
	server := &http.Server{ConnContext: peers.ConnContext, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := peers.Authenticate(r)
		if err != nil {
			t.Error(err)
		}
		got <- p
	})}
	go server.Serve(l)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	resp, err := client.Get("http://localhost/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if p := <-got; p == nil || p.ID != "ada" {
		t.Errorf("%+v", p)
	}
	client.CloseIdleConnections()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if ctx := peers.ConnContext(t.Context(), a); ctx.Value(peerKey{}) != nil {
		t.Error("a pipe has a user")
	}
}
