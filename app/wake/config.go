package wake

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SessionWord is the word of a command that stands for the id of the session.
const SessionWord = "{session}"

// Config is what the person configured. The zero value runs nothing.
type Config struct {
	Commands map[string][]string // by agent: the words that resume a session
	Folders  []string            // the command runs in these, and in folders inside them
	Home     string              // what "~/" stands for
}

// Check returns what is wrong with the command of an agent.
func Check(command []string) error {
	switch {
	case len(command) == 0 || command[0] == "":
		return errors.New("the command is empty")
	case command[0] == SessionWord || strings.HasPrefix(command[0], "-"):
		return fmt.Errorf("the command begins with %q, which is not a program", command[0])
	}
	for _, word := range command {
		if word != SessionWord && strings.Contains(word, SessionWord) {
			return fmt.Errorf("%q: %s must be a word of its own", word, SessionWord)
		}
	}
	if !slices.Contains(command, SessionWord) {
		return fmt.Errorf("no word of the command is %s, so it resumes nothing", SessionWord)
	}
	return nil
}

// ErrOff says that nothing is configured for the agent.
var ErrOff = errors.New("no command is configured for this agent")

// command returns the words that resume the session, and the folder to run them in.
func (c *Config) command(s *Session) (words []string, dir string, err error) {
	words = c.Commands[s.Agent]
	if len(words) == 0 {
		return nil, "", ErrOff
	}
	if err := Check(words); err != nil {
		return nil, "", err
	}
	if !plain(s.ID) {
		return nil, "", fmt.Errorf("%q is not an id of a session", s.ID)
	}
	if dir, err = c.folder(s.Dir); err != nil {
		return nil, "", err
	}
	words = slices.Clone(words)
	for i := range words {
		if words[i] == SessionWord {
			words[i] = s.ID
		}
	}
	words[0] = c.home(words[0])
	if strings.ContainsRune(words[0], filepath.Separator) && !filepath.IsAbs(words[0]) {
		return nil, "", fmt.Errorf("%q is neither the name of a program nor an absolute path", words[0])
	}
	return words, dir, nil
}

// plain reports whether an id has only letters, digits, "-" and "_", and does not look
// like a flag.
func plain(id string) bool {
	if id == "" || len(id) > 128 || id[0] == '-' {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// folder returns the folder of a session with its links resolved, if it is inside one
// that the person named.
func (c *Config) folder(dir string) (string, error) {
	if len(c.Folders) == 0 {
		return "", errors.New("no folders are configured")
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("the folder of the session, %q, is not absolute", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("the folder of the session: %w", err)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", real)
	}
	for _, in := range c.Folders {
		in = c.home(in)
		if !filepath.IsAbs(in) {
			continue
		}
		top, err := filepath.EvalSymlinks(in)
		if err != nil {
			continue
		}
		if inside, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(inside) {
			return real, nil
		}
	}
	return "", fmt.Errorf("%s is outside of the folders that are configured", real)
}

func (c *Config) home(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && c.Home != "" {
		return filepath.Join(c.Home, rest)
	}
	if name == "~" && c.Home != "" {
		return c.Home
	}
	return name
}
