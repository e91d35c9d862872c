package httpapi

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/api"
)

// spoils is what somebody foreign takes from a server that waits for a person.
type spoils struct {
	ForeignHost bool `json:"foreignHost"` // a request for another name is served
	Readable    bool `json:"readable"`    // a foreign page may read the reply
	Secrets     bool `json:"secrets"`     // the reply holds the server's secrets
	Told        bool `json:"told"`        // it is told what waits
	Forged      bool `json:"forged"`      // the agent takes its answer for the person's
}

// The script of a foreign page: list, read, follow, answer. It takes nothing from
// us, with the right name of the server or another, with no key or a guessed one.
func TestForgedAnswer(t *testing.T) {
	w := newWorld(t, nil)
	tk := w.ask(t, "a1")
	var got spoils
	for _, host := range []string{"evil.example", "localhost"} {
		for _, key := range []string{"", "sayso_answerer_aaaaaaaaaaaaa_aaaa", w.key["bot"]} {
			for _, c := range []struct{ method, path, body string }{
				{"GET", "/v1/asks", ""}, {"GET", "/v1/asks/" + tk.ID, ""}, {"GET", "/v1/events", ""}, {"GET", "/metrics", ""},
				{"PUT", "/v1/asks/" + tk.ID + "/answer", answerBody(tk, "pg")},
				{"POST", "/v1/asks/" + tk.ID + "/decline", `{"digest":"` + tk.Digest + `"}`},
				{"POST", "/v1/asks/" + tk.ID + "/relay", answerBody(tk, "pg")},
				{"POST", "/conversations/c1/respond", `{"ask":"` + tk.ID + `","answers":{"Which database?":"PostgreSQL"}}`},
				{"POST", "/conversations/c1/cancel", ""},
			} {
				req := w.request("nobody", c.method, c.path, c.body)
				req.Host = host
				req.Header.Set("Origin", "https://evil.example")
				if key != "" {
					req.Header.Set("Authorization", "Bearer "+key)
				}
				rec := newRecorder(w, req)
				got.take(rec, tk)
			}
		}
	}
	now := must[api.Ticket](t, w, "bot", "GET", "/v1/asks/"+tk.ID, "")
	got.Forged = !now.Open()
	if got != (spoils{}) {
		t.Errorf("taken: %+v", got)
	}
}

func (s *spoils) take(rec *httptest.ResponseRecorder, tk api.Ticket) {
	body := rec.Body.String()
	s.ForeignHost = s.ForeignHost || rec.Code < 300
	s.Readable = s.Readable || rec.Header().Get("Access-Control-Allow-Origin") != ""
	s.Told = s.Told || strings.Contains(body, "database") || strings.Contains(body, tk.ID)
	s.Secrets = s.Secrets || strings.Contains(body, tk.Digest)
	if rec.Code == http.StatusSwitchingProtocols {
		s.Forged = true
	}
}

// The same against a published peer, which lets anybody answer: the table in
// docs/records/security-tests.md is not made up.
func TestForgedAnswerAtPeer(t *testing.T) {
	peer := os.Getenv("SAYSO_PEER")
	if peer == "" {
		t.Skip("needs a peer from npm: run .ci/run peer, which installs it")
	}
	script, err := filepath.Abs(filepath.Join("testdata", "peer", "forge.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "--net", "sh", "-c", `ip link set lo up; exec node "$0"`, script)
	cmd.Env = append(os.Environ(), "PEER="+peer)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got spoils
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "RESULT "); ok {
			t.Log(text)
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got != (spoils{true, true, true, true, true}) {
		t.Errorf("docs/records/security-tests.md says that everything is taken from it: %+v", got)
	}
}
