package natsserver

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestUsualWarnings(t *testing.T) {
	for text, told := range map[string]bool{
		"Error trying to connect to route (attempt 1): dial tcp 10.0.0.2:6222: connect: connection refused": false,
		"Error trying to connect to route (attempt 1): lookup b: no such host":                              true,
		"Waiting for routing to be established...":                                                          false,
		"JetStream has not established contact with a meta leader":                                          false,
		"TLS route handshake error: x509: certificate signed by unknown authority":                          true,
	} {
		var out bytes.Buffer
		b := newBridge(slog.New(slog.NewTextHandler(&out, nil)), func(string) {})
		b.Errorf("%s", text)
		if got := strings.Contains(out.String(), text[:20]); got != told {
			t.Errorf("told %t: %s", got, text)
		}
	}
}
