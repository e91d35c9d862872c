package pushtest

import (
	"strings"
	"testing"
	"time"
)

// TestRFC8292 takes the token of RFC 8292, section 2.4, and nothing that differs.
func TestRFC8292(t *testing.T) {
	const (
		head = "vapid t="
		tok  = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
		key  = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
	)
	at := time.Unix(1453523768, 0)
	if sub, err := token(head+tok+", k="+key, key, "https://push.example.net", at.Add(-time.Hour)); err != nil || sub != "mailto:push@example.com" {
		t.Errorf("%q, %v", sub, err)
	}
	for name, err := range map[string]error{
		"expired":        second(token(head+tok+", k="+key, key, "https://push.example.net", at)),
		"too long":       second(token(head+tok+", k="+key, key, "https://push.example.net", at.Add(-25*time.Hour))),
		"another origin": second(token(head+tok+", k="+key, key, "https://push.example.org", at.Add(-time.Hour))),
		"another key":    second(token(head+tok+", k="+key, strings.Replace(key, "BA1H", "BA1I", 1), "https://push.example.net", at.Add(-time.Hour))),
		"forged":         second(token(head+strings.Replace(tok, "i3CY", "i3CZ", 1)+", k="+key, key, "https://push.example.net", at.Add(-time.Hour))),
		"no token":       second(token("", key, "https://push.example.net", at.Add(-time.Hour))),
		"bearer":         second(token("Bearer "+tok, key, "https://push.example.net", at.Add(-time.Hour))),
	} {
		if err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func second(_ string, err error) error { return err }
