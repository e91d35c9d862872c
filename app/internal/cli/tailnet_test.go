package cli_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

const tailnetName = "desk.tail0000.ts.net"

// tailscaleFake is a program as tailscale documents its own (1.52 and later). Its state
// is in the folder TAILSCALE: status is the backend's state, https is there if the
// tailnet has certificates, serve is what is served, and refuse is what `serve --bg`
// says instead of serving; if that has an address, it waits, as the real one does.
func tailscaleFake() {
	file := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(os.Getenv("TAILSCALE"), name))
		return strings.TrimSpace(string(b))
	}
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(os.Getenv("TAILSCALE"), name))
		return err == nil
	}
	args := os.Args[1:]
	port := regexp.MustCompile(`^[0-9]+$`)
	switch {
	case exists("dead"):
		fmt.Fprintln(os.Stderr, "failed to connect to local tailscaled; it doesn't appear to be running (sudo systemctl start tailscaled ?)")
		os.Exit(1)
	case slices.Equal(args, []string{"status", "--json"}):
		st := map[string]any{"Version": "1.90.0", "BackendState": file("status"), "CertDomains": nil, "Self": map[string]any{"DNSName": tailnetName + ".", "Online": true, "CapMap": map[string]any{}}}
		if exists("https") {
			st["CertDomains"] = []string{tailnetName}
			st["Self"].(map[string]any)["CapMap"] = map[string]any{"https": nil}
		}
		json.NewEncoder(os.Stdout).Encode(st)
	case slices.Equal(args, []string{"serve", "status", "--json"}):
		st := map[string]any{}
		if to := file("serve"); to != "" {
			st = map[string]any{"TCP": map[string]any{"443": map[string]any{"HTTPS": true}}, "Web": map[string]any{tailnetName + ":443": map[string]any{"Handlers": map[string]any{"/": map[string]any{"Proxy": to}}}}}
		}
		json.NewEncoder(os.Stdout).Encode(st)
	case len(args) == 3 && args[0] == "serve" && args[1] == "--bg" && port.MatchString(args[2]):
		if exists("refuse") {
			fmt.Println(file("refuse"))
			if strings.Contains(file("refuse"), "https://") {
				time.Sleep(time.Hour) // until somebody has gone there
			}
			os.Exit(1)
		}
		os.WriteFile(filepath.Join(os.Getenv("TAILSCALE"), "serve"), []byte("http://127.0.0.1:"+args[2]), 0o600)
		fmt.Printf("Available within your tailnet:\n\nhttps://%s/\n|-- proxy http://127.0.0.1:%s\n\nServe started and running in the background.\n", tailnetName, args[2])
	default:
		fmt.Fprintln(os.Stderr, "tailscale: unknown arguments:", args)
		os.Exit(2)
	}
}

// tailnet is the network of the fake: whatever is sent to its name by way of the proxy
// in HTTPS_PROXY arrives at what is served, with the certificate in SSL_CERT_FILE.
func tailnet(ts *testscript.TestScript, _ bool, args []string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	name := tailnetName
	if len(args) > 0 { // a certificate for another name
		name = args[0]
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	ts.Check(err)
	file := ts.MkAbs("tailnet.pem")
	ts.Check(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))

	dir := ts.Getenv("TAILSCALE")
	node := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, _ := os.ReadFile(filepath.Join(dir, "serve"))
			u, err := url.Parse(string(to))
			if err != nil || u.Host == "" {
				u = &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
			}
			r.SetURL(u)
			r.Out.Host = r.In.Host // as tailscale does
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	node.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	node.StartTLS()
	ts.Defer(node.Close)

	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != tailnetName+":443" {
			http.Error(w, "not in this network", http.StatusForbidden)
			return
		}
		to, err := net.Dial("tcp", node.Listener.Addr().String())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		from, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		back := make(chan struct{})
		go func() { defer close(back); io.Copy(from, to); from.Close() }()
		io.Copy(to, bufio.NewReader(in))
		to.Close()
		<-back
	}))
	ts.Defer(proxy.Close)
	ts.Setenv("HTTPS_PROXY", proxy.URL)
	ts.Setenv("SSL_CERT_FILE", file)
}
