package pushtest_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificate writes ca.pem, and cert.pem with key.pem that it has signed for the name.
// Browsers want two: one that signs itself is no authority for them.
func certificate(t *testing.T, dir, name string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, kind string, der []byte) {
		must(os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	ca, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	from, until := time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotBefore: from, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: until, DNSNames: []string{name},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, &ca.PublicKey, ca)
	must(err)
	write("ca.pem", "CERTIFICATE", der)
	der, err = x509.CreateCertificate(rand.Reader, leaf, root, &key.PublicKey, ca)
	must(err)
	write("cert.pem", "CERTIFICATE", der)
	der, err = x509.MarshalPKCS8PrivateKey(key)
	must(err)
	write("key.pem", "PRIVATE KEY", der)
}
