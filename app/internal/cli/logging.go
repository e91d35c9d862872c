package cli

import (
	"io"
	"log/slog"
	"time"

	"github.com/spf13/pflag"
)

// logging is how a server logs.
type logging struct {
	level, format string
	least         slog.LevelVar // changes with a reload
}

func (l *logging) bind(f *pflag.FlagSet) {
	bind(f, "log-level", &l.level)
	bind(f, "log-format", &l.format)
}

// open returns a log that writes lines.
func (l *logging) open(w io.Writer) *slog.Logger {
	l.set(l.level)
	o := &slog.HandlerOptions{Level: &l.least}
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// set changes the level; the settings have checked it.
func (l *logging) set(level string) {
	var at slog.Level
	if level == "" || at.UnmarshalText([]byte(level)) != nil {
		at = slog.LevelInfo
	}
	l.least.Set(at)
}

// drainFlag is a duration that knows whether somebody set it.
type drainFlag struct {
	d   time.Duration
	set bool
}

func (f *drainFlag) String() string {
	if !f.set {
		return ""
	}
	return f.d.String()
}

func (f *drainFlag) Set(text string) (err error) {
	f.d, err = time.ParseDuration(text)
	f.set = err == nil
	return err
}

func (f *drainFlag) Type() string { return "duration" }

// drainFor returns how long the hub serves on when it is told to end. Only one that
// other machines reach can have a load balancer in front of it.
func (s *serving) drainFor() time.Duration {
	switch {
	case s.drain.set:
		return s.drain.d
	case s.listen != "" && !loopback(s.listen):
		return 5 * time.Second
	}
	return 0
}
