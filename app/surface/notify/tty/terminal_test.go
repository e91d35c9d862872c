package tty

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestKind(t *testing.T) {
	for _, test := range []struct {
		name string
		env  string
		want Kind
		tmux bool
	}{
		{"nothing is known", "TERM=xterm-256color", Bell, false},
		{"kitty", "TERM=xterm-kitty KITTY_WINDOW_ID=1", OSC99, false},
		{"kitty over SSH", "SSH_CONNECTION=x TERM=xterm-kitty", OSC99, false},
		{"kitty around tmux", "TERM=tmux-256color TERM_PROGRAM=tmux KITTY_WINDOW_ID=1 TMUX=/tmp/x,1,0", OSC99, true},
		{"iTerm2", "TERM=xterm-256color TERM_PROGRAM=iTerm.app ITERM_SESSION_ID=w0", OSC9, false},
		{"iTerm2 over SSH", "SSH_CONNECTION=x TERM=xterm-256color LC_TERMINAL=iTerm2", OSC9, false},
		{"iTerm2 around tmux", "TERM=screen-256color TERM_PROGRAM=tmux LC_TERMINAL=iTerm2 TMUX=/tmp/x,1,0", OSC9, true},
		{"Ghostty", "TERM=xterm-ghostty TERM_PROGRAM=ghostty", OSC777, false},
		{"WezTerm", "TERM=xterm-256color TERM_PROGRAM=WezTerm", OSC777, false},
		{"foot", "TERM=foot", OSC777, false},
		{"urxvt", "TERM=rxvt-unicode-256color", OSC777, false},
		{"Windows Terminal", "WT_SESSION=x TERM=xterm-256color", Bell, false},
		{"VTE", "VTE_VERSION=7800 TERM=xterm-256color", Bell, false},
		{"Terminal.app", "TERM_PROGRAM=Apple_Terminal TERM=xterm-256color", Bell, false},
		{"an editor in kitty", "TERM_PROGRAM=vscode TERM=xterm-256color", Bell, false},
		{"a variable that came along over SSH", "SSH_CONNECTION=x TERM=xterm-256color WEZTERM_PANE=1", Bell, false},
		{"tmux", "TERM=tmux-256color TERM_PROGRAM=tmux TMUX=/tmp/x,1,0", Bell, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := map[string]string{}
			for word := range strings.FieldsSeq(test.env) {
				name, value, _ := strings.Cut(word, "=")
				env[name] = value
			}
			a, err := Here(func(name string) string {
				if !slices.Contains(Variables(), name) {
					t.Errorf("%s is not among the variables", name)
				}
				return env[name]
			}, "/dev/pts/3")
			if err != nil || a.Kind != test.want || a.Tmux != test.tmux || a.Path != "/dev/pts/3" || a.Host == "" {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	for _, path := range []string{"", "not a tty", "/dev/mem", "/dev/watchdog", "/dev/pts/../mem", "/dev/pts/ptmx", "/tmp/x", "/dev/tty0/x", "/dev/pts/1\n"} {
		if _, err := Here(os.Getenv, path); err == nil {
			t.Errorf("%q is taken for a terminal", path)
		}
	}
}

// TestSequences compares what is written with a file that a person can read.
func TestSequences(t *testing.T) {
	var b strings.Builder
	for _, kind := range []Kind{Bell, OSC9, OSC777, OSC99} {
		for _, tmux := range []bool{false, true} {
			a := &Address{Kind: kind, Tmux: tmux}
			fmt.Fprintf(&b, "%s, tmux %v\n", kind, tmux)
			fmt.Fprintf(&b, "  alert    %q\n", a.Alert("k1", "claude-code asks", "1 question; it waits"))
			fmt.Fprintf(&b, "  hostile  %q\n", a.Alert("k\x1b;1", "4;3;\x1b\\\x07\u009cx", "b\x1b]2;owned\x07\n</b>"))
			fmt.Fprintf(&b, "  withdraw %q\n", a.Withdraw("k1"))
		}
	}
	const file = "testdata/sequences.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// whole is one sequence of each kind, with nothing in it that ends it early.
var whole = map[Kind]*regexp.Regexp{
	Bell:   regexp.MustCompile(`^\x07$`),
	OSC9:   regexp.MustCompile(`^\x1b\]9;([^\x00-\x1f\x7f-\x{9f}0-9; ][^\x00-\x1f\x7f-\x{9f}]*)?\x1b\\$`),
	OSC777: regexp.MustCompile(`^\x1b\]777;notify;[^\x00-\x1f\x7f-\x{9f};]*;[^\x00-\x1f\x7f-\x{9f};]*\x1b\\$`),
	OSC99:  regexp.MustCompile(`^\x1b\]99;i=[A-Za-z0-9]*:o=unfocused:d=0:e=1;[A-Za-z0-9+/=]*\x1b\\\x1b\]99;i=[A-Za-z0-9]*:o=unfocused:d=1:e=1:p=body;[A-Za-z0-9+/=]*\x1b\\$`),
}

func FuzzAlert(f *testing.F) {
	f.Add("k1", "claude-code asks", "1 question waits")
	f.Add("k;1", "4;3;0", "\x1b]2;owned\x07")
	f.Add("\x1b", "\u009c\u009d\x1b\\", "\xff\xc2")
	f.Add("k", strings.Repeat("漢", 3000), "\u202eabc")
	f.Fuzz(func(t *testing.T, id, title, body string) {
		for kind, re := range whole {
			a := &Address{Kind: kind}
			bare := a.Alert(id, title, body)
			if !re.MatchString(bare) {
				t.Fatalf("%s: %q", kind, bare)
			}
			a.Tmux = true
			wrapped := a.Alert(id, title, body)
			if kind == Bell {
				if wrapped != bare {
					t.Fatalf("%q", wrapped)
				}
				continue
			}
			inner, ok := strings.CutPrefix(strings.TrimSuffix(wrapped, bell), "\x1bPtmux;")
			inner, ended := strings.CutSuffix(inner, st)
			if !ok || !ended || strings.ReplaceAll(inner, "\x1b\x1b", "\x1b") != bare || strings.Count(inner, "\x1b") != 2*strings.Count(bare, "\x1b") {
				t.Fatalf("%q", wrapped)
			}
		}
	})
}
