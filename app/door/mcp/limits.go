package mcp

import (
	"strings"
	"time"
)

// unknownHold is how long a client that nobody measured is made to wait: those
// built on the official SDKs end a call after 60 s.
const unknownHold = 45 * time.Second

// signEvery is how often a call that waits gives a sign of life.
const signEvery = 25 * time.Second

// holds are how long known clients bear a call that waits, a little less than was
// measured with the programs themselves.
var holds = []struct {
	name   string        // part of what the client calls itself
	silent time.Duration // if it wants no signs of life
	signs  time.Duration // if it gets them
}{
	{"claude", 600 * time.Second, 600 * time.Second},   // 2.1.325: more than 700 s
	{"codex", 280 * time.Second, 280 * time.Second},    // 0.166.0: 300 s, signs do not help
	{"opencode", 50 * time.Second, 380 * time.Second},  // 1.18.33: 60 s; more than 400 s
	{"copilot", 170 * time.Second, 380 * time.Second},  // 1.0.102: 180 s; more than 400 s
	{"gemini", 580 * time.Second, 580 * time.Second},   // 0.61.0: 600 s, signs do not help
	{"qwen", 280 * time.Second, 280 * time.Second},     // 0.24.4: 300 s
	{"inspector", 50 * time.Second, 280 * time.Second}, // 2.12.0: its SDK's 60 s, which signs renew
}

// holdFor returns how long a call of the client may wait. Claude Code ends a call
// over HTTP after 60 s of silence, but not one over its standard streams.
func holdFor(clientName string, signs, http bool) time.Duration {
	name := strings.ToLower(clientName)
	for _, h := range holds {
		if !strings.Contains(name, h.name) {
			continue
		}
		switch {
		case signs:
			return h.signs
		case http:
			return min(h.silent, 50*time.Second)
		}
		return h.silent
	}
	return unknownHold
}
