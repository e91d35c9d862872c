package console

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFolders(t *testing.T) {
	t.Parallel()
	abs := t.TempDir() // which is absolute on every system
	for _, tc := range []struct {
		name          string
		env           []string
		config, state string
		err           string
	}{
		{"named", []string{"XDG_CONFIG_HOME=" + abs, "XDG_STATE_HOME=" + abs, "HOME=/ann"},
			filepath.Join(abs, "sayso"), filepath.Join(abs, "sayso"), ""},
		{"at home", []string{"HOME=/ann"}, filepath.FromSlash("/ann/.config/sayso"), filepath.FromSlash("/ann/.local/state/sayso"), ""},
		{"on Windows", []string{"USERPROFILE=/ann"}, filepath.FromSlash("/ann/.config/sayso"), filepath.FromSlash("/ann/.local/state/sayso"), ""},
		{"relative ones do not count", []string{"XDG_CONFIG_HOME=conf", "XDG_STATE_HOME=.", "HOME=/ann"},
			filepath.FromSlash("/ann/.config/sayso"), filepath.FromSlash("/ann/.local/state/sayso"), ""},
		{"nowhere", nil, "", "", "nor HOME is set"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			config, err := ConfigFolder(env(tc.env...))
			state, err2 := StateFolder(env(tc.env...))
			if config != tc.config || state != tc.state {
				t.Errorf("%q and %q, want %q and %q", config, state, tc.config, tc.state)
			}
			for _, err := range []error{err, err2} {
				if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
			}
		})
	}
}

// TestFolderName: conversations are stored under these names.
func TestFolderName(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{
		"/work/shop":                       "shop-dbea7844",
		"/other/shop":                      "shop-",
		"/":                                "/-8a5edab2",
		"/work/" + strings.Repeat("ä", 60): strings.Repeat("ä", 40) + "-",
	} {
		if got := FolderName(dir); !strings.HasPrefix(got, want) || len(got) != strings.LastIndex(want, "-")+9 {
			t.Errorf("%s is named %q, want %q", dir, got, want)
		}
	}
	if FolderName("/work/shop") == FolderName("/other/shop") {
		t.Error("two folders have one name")
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.key")
	first, err := Secret(file)
	if err != nil || len(first) < 32 {
		t.Fatalf("%q, %v", first, err)
	}
	if again, err := Secret(file); err != nil || !bytes.Equal(again, first) {
		t.Errorf("%q, %v; it was %q", again, err, first)
	}
	if other, err := Secret(file + "2"); err != nil || bytes.Equal(other, first) {
		t.Errorf("two files hold %q (%v)", other, err)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v: others can read it", info.Mode(), err)
	}
	if _, err := Secret(filepath.Join(file, "below")); err == nil {
		t.Error("a secret that cannot be kept was returned")
	}
}
