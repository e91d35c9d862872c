package console

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/saysohq/sayso"
)

// ConfigFolder returns the folder of sayso's settings: $XDG_CONFIG_HOME/sayso, or
// ~/.config/sayso. It makes none.
func ConfigFolder(getenv func(string) string) (string, error) {
	return folder(getenv, "XDG_CONFIG_HOME", ".config")
}

// StateFolder returns the folder of what must survive a restart:
// $XDG_STATE_HOME/sayso, or ~/.local/state/sayso. It makes none.
func StateFolder(getenv func(string) string) (string, error) {
	return folder(getenv, "XDG_STATE_HOME", filepath.Join(".local", "state"))
}

// folder follows the XDG base directories on every system, so that a person finds
// the folders in the same place everywhere.
func folder(getenv func(string) string, variable, below string) (string, error) {
	if dir := getenv(variable); filepath.IsAbs(dir) { // the specification ignores relative paths
		return filepath.Join(dir, "sayso"), nil
	}
	home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	if home == "" {
		return "", fmt.Errorf("neither %s nor HOME is set", variable)
	}
	return filepath.Join(home, below, "sayso"), nil
}

// FolderName returns a name for a folder that may leave the machine: what a person
// calls it, and enough to tell it from others of that name, but not its path.
func FolderName(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	name := sayso.SafeLine(filepath.Base(dir))
	if r := []rune(name); len(r) > 40 {
		name = string(r[:40])
	}
	return name + "-" + hex.EncodeToString(sum[:4])
}

// Secret returns what is in the file, which is made with a random text if there is
// none. Only the person can read it.
func Secret(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return b, err
	}
	b = []byte(rand.Text() + rand.Text())
	tmp := file + ".new"
	if err := os.WriteFile(tmp, b, 0o600); err != nil {
		return nil, err
	}
	return b, os.Rename(tmp, file)
}
