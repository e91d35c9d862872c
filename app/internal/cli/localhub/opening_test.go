package localhub

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// TestOpeningSays: a node that waits for the others lives, says what it waits for, and can be ended.
func TestOpeningSays(t *testing.T) {
	t.Parallel()
	at, route := freeAddress(t), freeAddress(t)
	cluster := &natsserver.ClusterOptions{ServerName: "n1", Listen: route, Routes: []string{route, freeAddress(t), freeAddress(t)}}
	runWith(t, &ServeOptions{Listen: at, Engine: EngineOptions{Cluster: cluster}})
	get := func(path string) string {
		resp, err := http.Get("http://" + at + path)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, " ", string(b), err)
	}
	var said string
	for end := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		if said = get("/readyz"); strings.HasPrefix(said, "503 ") && strings.Contains(said, "waiting for the other nodes of the cluster") {
			break
		} else if time.Now().After(end) {
			t.Fatal("/readyz says ", said)
		}
	}
	if said := get("/healthz"); !strings.HasPrefix(said, "200 ok") {
		t.Error("/healthz says ", said)
	}
}
