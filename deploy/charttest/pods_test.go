package charttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	corev1 "k8s.io/api/core/v1"
)

// podOf renders the chart and returns its pod.
func podOf(t *testing.T, values string) (*corev1.PodTemplateSpec, int) {
	t.Helper()
	files, err := Render([]byte(values))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Objects(files)
	if err != nil {
		t.Fatal(err)
	}
	return PodOf(objects)
}

// TestClusterPods runs the three pods of the StatefulSet. They form a cluster; one is
// killed, and the others go on.
func TestClusterPods(t *testing.T) {
	p := newPods(t, "chart-cluster")
	pod, n := podOf(t, "image: {repository: localhost/sayso}\nsettings: {shards: 4}")
	p.start(pod, n, map[string]string{"cluster-tls": certificate(t, "*.sayso-nodes")})
	c := &pod.Spec.Containers[0]
	for _, name := range p.names {
		p.ready(c, name)
	}
	for _, port := range c.Ports {
		if port.Name != "metrics" {
			continue
		}
		if got := status(fmt.Sprintf("http://%s:%d/metrics", p.ip("sayso-0"), port.ContainerPort)); got != http.StatusOK {
			t.Errorf("metrics: status %d", got)
		}
	}
	use(p, "sayso-0", "sayso-1", "sayso-2")
	podman(t, "start", "sayso-0")
	p.ready(c, "sayso-0")
	for _, name := range p.names {
		if log, err := exec.Command("podman", "logs", name).CombinedOutput(); err != nil || strings.Contains(string(log), "handshake error") {
			t.Errorf("%s could not reach the others by the names of their certificate: %v", name, err)
		}
	}
}

// TestGatewayPods runs the pods of the Deployment against a NATS server with a login.
func TestGatewayPods(t *testing.T) {
	p := newPods(t, "chart-gateway")
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	at := podman(t, "network", "inspect", "-f", "{{(index .Subnets 0).Gateway}}", p.network)
	nats(p, at, public)
	p.hosts = []string{"nats-0:" + at}
	pod, n := podOf(t, "mode: gateway\nimage: {repository: localhost/sayso}\ngateway: {nats: ['nats://nats-0:4222'], login: nkey}\nsettings: {shards: 2}")
	p.start(pod, n, map[string]string{"nats": secret(t, map[string][]byte{"user.nk": seed})})
	for _, name := range p.names {
		p.ready(&pod.Spec.Containers[0], name)
	}
	use(p, "sayso-0", "sayso-1", "sayso-1")
}

// use asks at one pod and lists at another. Then the first is killed, and the others
// answer and hand out the answer.
func use(p *pods, first, second, third string) {
	p.t.Helper()
	const text = "Deploy to production?"
	if out, err := p.exec(first, "ask", text, "-o", "Yes", "-o", "No", "--id", "deploy-1", "--wait", "1s"); exitCode(err) != 75 {
		p.t.Fatalf("asking: %v: %s", err, out)
	}
	p.await("the question is at "+second, func() bool {
		out, err := p.exec(second, "list")
		return err == nil && strings.Contains(out, text)
	})
	p.kill(first)
	p.await("an answer is taken at "+second, func() bool {
		_, err := p.exec(second, "answer", "deploy-1", "Yes")
		return err == nil
	})
	out, err := p.exec(third, "wait", "deploy-1", "--wait", "1m")
	if err != nil || !strings.Contains(out, "Yes") {
		p.t.Errorf("waiting: %v: %s", err, out)
	}
}

func exitCode(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return 0
}

// nats runs a NATS server on this machine, where the pods reach it.
func nats(p *pods, at, user string) {
	p.t.Helper()
	program := os.Getenv("SAYSO_NATS")
	if program == "" {
		p.t.Skip("SAYSO_NATS is not set; see deploy/check")
	}
	// The bridge has its address once a container is on it.
	podman(p.t, "run", "-d", "--name", "chart-bridge", "--label", "chart="+p.network, "--network", p.network, "localhost/sayso:0.1.0")
	dir := p.t.TempDir()
	conf := filepath.Join(dir, "nats.conf")
	text := fmt.Sprintf("listen: %q\njetstream { store_dir: %q, sync_interval: always }\naccounts { SAYSO { jetstream: enabled, users: [{nkey: %s}] } }\n", at+":4222", dir, user)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "nats.log"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(program, "-c", conf)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if b, _ := os.ReadFile(log.Name()); p.t.Failed() {
			p.t.Logf("nats-server:\n%s", b)
		}
	})
}

// certificate makes an authority and a certificate for both ends of a connection, as
// the files of a secret.
func certificate(t *testing.T, name string) string {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	now := time.Now()
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nodes"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	check(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "node"}, DNSNames: []string{name}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, leaf, ca, &key.PublicKey, caKey)
	check(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	check(err)
	block := func(kind string, b []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}) }
	return secret(t, map[string][]byte{"tls.crt": block("CERTIFICATE", der), "tls.key": block("PRIVATE KEY", keyDER), "ca.crt": block("CERTIFICATE", caDER)})
}
