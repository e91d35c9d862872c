package loadtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// keyring has the keys of many subjects. They are written into the hub's file at
// once: sayso keys create makes one at a time, which takes minutes for thousands.
type keyring map[string]key

type key struct{ role, id, secret string }

func newKeyring() keyring { return keyring{} }

// add makes keys of a role.
func (k keyring) add(role string, subjects ...string) keyring {
	for _, s := range subjects {
		if _, ok := k[s]; !ok {
			id := strings.ToLower(rand.Text()[:13])
			k[s] = key{role, id, "sayso_" + role + "_" + id + "_" + strings.ToLower(rand.Text()+rand.Text())}
		}
	}
	return k
}

// of returns what a subject shows.
func (k keyring) of(subject string) string { return k[subject].secret }

// write makes the file that the hub reads.
func (k keyring) write(t *testing.T, path string) {
	t.Helper()
	type line struct {
		ID      string    `json:"id"`
		Role    string    `json:"role"`
		Tenant  string    `json:"tenant"`
		Subject string    `json:"subject"`
		SHA256  string    `json:"sha256"`
		Created time.Time `json:"created"`
		Expires time.Time `json:"expires"`
	}
	file := struct {
		Version int    `json:"version"`
		Keys    []line `json:"keys"`
	}{Version: 1}
	now := time.Now().UTC().Truncate(time.Second)
	for subject, one := range k {
		sum := sha256.Sum256([]byte(one.secret))
		file.Keys = append(file.Keys, line{one.id, one.role, tenant, subject, hex.EncodeToString(sum[:]), now, now.Add(24 * time.Hour)})
	}
	data, err := json.Marshal(file)
	must(t, err)
	must(t, os.WriteFile(path, data, 0o600))
}
