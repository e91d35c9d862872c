package natsserver

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
)

// bridge hands the server's log to slog. It keeps the warnings, so that the boot can report them, and the first fatal one,
// after which the server would have left the process.
type bridge struct {
	to     *slog.Logger
	fatal  chan string
	frozen atomic.Bool // a stream has stopped writing

	stopped func(text string) // told that the server has stopped writing

	mu       sync.Mutex
	warnings []string
}

const mostWarnings = 100

// writeError is what the server says when a stream could not be written. From then on the stream answers no write, for as
// long as the server runs. noPermission is what it says when it may not write: then it answers nothing about any stream.
const (
	writeError   = "ritical write error"
	noPermission = "disabling JetStream"
)

func newBridge(to *slog.Logger, stopped func(string)) *bridge {
	return &bridge{to: to, fatal: make(chan string, 1), stopped: stopped}
}

// usual reports whether the server warns so whenever nodes start one after the other, or one stops: whoever starts them says
// what they wait for. Any other failure of a route, such as a certificate that does not fit, is told.
func usual(text string) bool {
	for _, often := range []string{"alling behind in health check", "no longer falling behind", "Metalayer blocking snapshot"} {
		if strings.Contains(text, often) {
			return true
		}
	}
	return strings.Contains(text, "connect to route") && strings.Contains(text, "connection refused") ||
		strings.Contains(text, "Waiting for routing to be established") || strings.Contains(text, "not established contact with a meta leader")
}

func (b *bridge) log(level slog.Level, format string, args []any) string {
	text := fmt.Sprintf(format, args...)
	if usual(text) {
		level = slog.LevelDebug
	}
	b.to.Log(context.Background(), level, text)
	if level >= slog.LevelWarn {
		b.mu.Lock()
		if len(b.warnings) < mostWarnings {
			b.warnings = append(b.warnings, text)
		}
		b.mu.Unlock()
	}
	return text
}

// taken returns the warnings so far.
func (b *bridge) taken() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.warnings...)
}

func (b *bridge) Noticef(format string, v ...any) { b.log(slog.LevelInfo, format, v) }
func (b *bridge) Debugf(format string, v ...any)  { b.log(slog.LevelDebug, format, v) }
func (b *bridge) Tracef(format string, v ...any)  { b.log(slog.LevelDebug, format, v) }

func (b *bridge) Warnf(format string, v ...any)  { b.heed(b.log(slog.LevelWarn, format, v)) }
func (b *bridge) Errorf(format string, v ...any) { b.heed(b.log(slog.LevelError, format, v)) }

// heed notices that the server has stopped writing.
func (b *bridge) heed(text string) {
	frozen := strings.Contains(text, writeError)
	if frozen {
		b.frozen.Store(true)
	}
	if frozen || strings.Contains(text, noPermission) {
		b.stopped(text)
	}
}

func (b *bridge) Fatalf(format string, v ...any) {
	text := b.log(slog.LevelError, format, v)
	select {
	case b.fatal <- text:
	default:
	}
}
