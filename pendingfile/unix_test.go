//go:build unix

package pendingfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Whatever the umask lets through, files are for the user alone.
func TestModes(t *testing.T) { // not parallel: the umask is the process's
	for _, umask := range []int{0o000, 0o022, 0o077, 0o277} {
		p := newPlace(t)
		old := syscall.Umask(umask)
		modes := map[string]fs.FileMode{}
		p.trace = func(s step) error { // also while it is being written
			info, err := os.Lstat(p.file(s.name))
			switch s.op {
			case "chmod":
				if info.Mode().Perm()&0o077 != 0 {
					t.Errorf("umask %03o: a file begins with mode %v", umask, info.Mode())
				}
			case "write", "rename":
				modes[s.op] = info.Mode()
			default:
				err = nil
			}
			return err
		}
		pending, err := p.Write(t.Context(), seedAsk())
		if err == nil {
			_, err = p.Write(t.Context(), formAsk())
		}
		if err == nil {
			_, err = p.Close(t.Context(), pending, answered)
		}
		syscall.Umask(old)
		if err != nil {
			t.Fatalf("umask %03o: %v", umask, err)
		}
		err = filepath.WalkDir(p.file(""), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			modes[path] = info.Mode()
			return err
		})
		if err != nil || len(modes) != 6 {
			t.Fatalf("umask %03o: found %v, %v", umask, modes, err)
		}
		for path, mode := range modes {
			if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[mode.IsDir()]; mode.Perm() != want {
				t.Errorf("umask %03o: %s has mode %v", umask, path, mode)
			}
		}
	}
}

func TestFolderIsClosedToOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.Mkdir(p.file(""), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.file(""), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(""); !errors.Is(err, ErrUnsafe) {
		t.Errorf("reading where others may write: %v", err)
	}
	p.write(t, seedAsk())
	if info, _ := os.Stat(p.file("")); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v", info.Mode())
	}
	// An editor that writes anew does so with the umask's mode.
	if err := os.Chmod(p.file(DefaultFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(""); err != nil {
		t.Error(err)
	}
	if info, _ := os.Stat(p.file(DefaultFile)); info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
}

// Each row puts something in the place of the well-known file, or of the folder.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		swap func(p *place, outside string) error
	}{
		{"link outside", func(p *place, outside string) error { return relink(outside, p.file(DefaultFile)) }},
		{"link inside", func(p *place, _ string) error {
			return errors.Join(os.Rename(p.file(DefaultFile), p.file("real.json")), os.Symlink("real.json", p.file(DefaultFile)))
		}},
		{"dangling link", func(p *place, outside string) error { return relink(outside+"x", p.file(DefaultFile)) }},
		{"hard link", func(p *place, outside string) error {
			return errors.Join(os.Remove(p.file(DefaultFile)), os.Link(outside, p.file(DefaultFile)))
		}},
		{"second name", func(p *place, outside string) error { return os.Link(p.file(DefaultFile), outside+"2") }},
		{"pipe", func(p *place, _ string) error {
			return errors.Join(os.Remove(p.file(DefaultFile)), syscall.Mkfifo(p.file(DefaultFile), 0o600))
		}},
		{"folder", func(p *place, _ string) error {
			return errors.Join(os.Remove(p.file(DefaultFile)), os.Mkdir(p.file(DefaultFile), 0o700))
		}},
		{"others may write", func(p *place, _ string) error { return os.Chmod(p.file(DefaultFile), 0o620) }},
		{"linked folder", func(p *place, _ string) error {
			return errors.Join(os.Rename(p.file(""), p.path+"/real"), os.Symlink("real", p.path+"/"+DefaultFolder))
		}},
		{"file for a folder", func(p *place, _ string) error {
			return errors.Join(os.RemoveAll(p.file("")), os.WriteFile(p.path+"/"+DefaultFolder, nil, 0o600))
		}},
	}
	if os.Geteuid() == 0 {
		tests = append(tests, []struct {
			name string
			swap func(p *place, outside string) error
		}{
			{"other owner", func(p *place, _ string) error { return os.Chown(p.file(DefaultFile), 12345, 12345) }},
			{"other owner of the folder", func(p *place, _ string) error { return os.Chown(p.file(""), 12345, 12345) }},
		}...)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(t, seedAsk())
			victim := filepath.Join(t.TempDir(), "victim")
			canary := p.content(t)
			if err := os.WriteFile(victim, canary, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := tt.swap(p, victim); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Read(""); !errors.Is(err, ErrUnsafe) {
				t.Errorf("Read says %v", err)
			}
			// Another ask may be written beside it, never through it.
			if _, err := p.Write(t.Context(), formAsk()); err != nil && !errors.Is(err, ErrUnsafe) {
				t.Errorf("Write says %v", err)
			}
			if data, err := os.ReadFile(victim); err != nil || string(data) != string(canary) {
				t.Errorf("the victim is now %q, %v", data, err)
			}
		})
	}
}

// The folder is swapped for a link at the very moment between looking and opening.
func TestFolderSwapped(t *testing.T) {
	t.Parallel()
	for _, inside := range []bool{true, false} { // a link that stays inside is one that Root follows
		p := newPlace(t)
		p.write(t, seedAsk())
		decoy, target := filepath.Join(p.path, "decoy"), "decoy"
		if !inside {
			decoy = t.TempDir()
			target = decoy
		}
		if err := os.MkdirAll(decoy, 0o700); err != nil {
			t.Fatal(err)
		}
		p.trace = func(s step) error {
			if s.op != "open" {
				return nil
			}
			return errors.Join(os.Rename(p.file(""), p.path+"/real"), os.Symlink(target, p.path+"/"+DefaultFolder))
		}
		if _, err := p.Write(t.Context(), formAsk()); err == nil || inside && !errors.Is(err, ErrUnsafe) {
			t.Errorf("Write says %v", err)
		}
		if entries, err := os.ReadDir(decoy); err != nil || len(entries) != 0 {
			t.Errorf("the decoy holds %v, %v", entries, err)
		}
	}
}

func relink(target, name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, name)
}

// A process that holds the lock keeps others waiting, but not past their context.
func TestLock(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	pending := p.write(t, seedAsk())
	other, err := placeAt(t, p.path).open(false)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Close(ctx, pending, answered); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Close while another process writes: %v", err)
	}
	if _, err := p.Read(""); err != nil {
		t.Errorf("reading needs no lock: %v", err)
	}
	other.close()
	if _, err := p.Close(t.Context(), pending, answered); err != nil {
		t.Error(err)
	}
}
