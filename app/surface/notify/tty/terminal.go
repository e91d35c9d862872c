package tty

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	"github.com/saysohq/sayso"
)

// Address is a terminal.
type Address struct {
	Path string `json:"path"`           // such as /dev/pts/3
	Host string `json:"host,omitempty"` // the machine that it is on
	Kind Kind   `json:"kind"`
	Tmux bool   `json:"tmux,omitempty"` // tmux is between us and the terminal
}

// Kind is how a terminal is told something.
type Kind string

// The kinds of terminals.
const (
	Bell   Kind = "bell"   // it has only the bell, or nothing else is known of it
	OSC9   Kind = "osc9"   // iTerm2 and others: a text
	OSC777 Kind = "osc777" // urxvt and others: a title and a text
	OSC99  Kind = "osc99"  // kitty: it can be replaced and taken away
)

// Here returns the address of the terminal that a program runs in. The terminal itself
// is named by tty, such as /dev/pts/3, and told by its variables of the environment.
func Here(getenv func(string) string, tty string) (*Address, error) {
	if err := checkPath(tty); err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("naming the machine of a terminal: %w", err)
	}
	a := Of(getenv)
	a.Path, a.Host = tty, host
	return a, nil
}

// Of returns what kind of terminal a program runs in, for one that writes to it itself.
func Of(getenv func(string) string) *Address {
	return &Address{Kind: kindOf(getenv), Tmux: getenv("TMUX") != ""}
}

// Variables returns the variables of the environment that [Here] asks for.
func Variables() []string {
	return []string{"TERM", "TERM_PROGRAM", "TMUX", "SSH_CONNECTION", "LC_TERMINAL", "KITTY_WINDOW_ID", "ITERM_SESSION_ID", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE"}
}

// kindOf names the terminal by its variables. Inside tmux they are those of the terminal
// in which tmux was started: TERM_PROGRAM is its own there, and TERM too.
func kindOf(getenv func(string) string) Kind {
	has := func(name string) bool { return getenv(name) != "" }
	switch {
	case has("SSH_CONNECTION") && !has("TERM_PROGRAM") && !has("LC_TERMINAL") && getenv("TERM") != "xterm-kitty" && getenv("TERM") != "xterm-ghostty":
		return Bell // nothing here says which terminal is at the other end
	case has("KITTY_WINDOW_ID"), getenv("TERM") == "xterm-kitty":
		return OSC99
	case has("ITERM_SESSION_ID"), getenv("LC_TERMINAL") == "iTerm2":
		return OSC9
	}
	switch getenv("TERM_PROGRAM") {
	case "iTerm.app":
		return OSC9
	case "ghostty", "WezTerm":
		return OSC777
	case "Apple_Terminal", "vscode", "alacritty":
		return Bell
	}
	switch term := getenv("TERM"); {
	case has("GHOSTTY_RESOURCES_DIR"), term == "xterm-ghostty", has("WEZTERM_PANE"):
		return OSC777
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt-unicode"):
		return OSC777
	}
	// Windows Terminal (WT_SESSION): reports differ. VTE (VTE_VERSION): only where a
	// distribution has patched it. Both have the bell.
	return Bell
}

// text is a text that cannot end a sequence.
func text(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, sayso.SafeLine(strings.ReplaceAll(s, "\n", " ")))
}

const (
	bell = "\a"
	osc  = "\x1b]"
	st   = "\x1b\\" // ends a sequence
)

// Alert returns what to write to the terminal so that the person notices. The id names
// the notification, for [Address.Withdraw]; it has letters and digits only.
func (a *Address) Alert(id, title, body string) string {
	title, body = text(title), text(body)
	switch a.Kind {
	case OSC9:
		all := title
		if body != "" {
			all += ": " + body
		}
		// What begins with a number and a semicolon is a command to some terminals.
		if all = strings.TrimLeft(all, "; "); all != "" && '0' <= all[0] && all[0] <= '9' {
			all = "sayso: " + all
		}
		return a.wrap(osc + "9;" + all + st)
	case OSC777:
		fields := strings.NewReplacer(";", ",")
		return a.wrap(osc + "777;notify;" + fields.Replace(title) + ";" + fields.Replace(body) + st)
	case OSC99:
		encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(cut(s))) }
		return a.wrap(osc + "99;i=" + name(id) + ":o=unfocused:d=0:e=1;" + encode(title) + st +
			osc + "99;i=" + name(id) + ":o=unfocused:d=1:e=1:p=body;" + encode(body) + st)
	}
	return bell
}

// Withdraw returns what to write to the terminal so that the notification goes away;
// empty: it cannot be.
func (a *Address) Withdraw(id string) string {
	if a.Kind != OSC99 {
		return ""
	}
	seq := osc + "99;i=" + name(id) + ":p=close;" + st
	if a.Tmux {
		return pass(seq)
	}
	return seq
}

// wrap makes a sequence pass through tmux, if it is there. That takes a setting of tmux,
// and the window must be in front; the bell always passes.
func (a *Address) wrap(seq string) string {
	if !a.Tmux {
		return seq
	}
	return pass(seq) + bell
}

func pass(seq string) string {
	return "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + st
}

// name keeps what an id of kitty's may have.
func name(id string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, id)
}

// cut keeps as much of a text as kitty takes in one piece: 2,048 bytes before they are
// encoded.
func cut(s string) string {
	const most = 2048
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-len("…")], "") + "…"
}
