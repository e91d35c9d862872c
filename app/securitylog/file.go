package securitylog

import (
	"errors"
	"fmt"
	"os"
)

// file is where the lines of several processes go.
type file struct {
	path   string
	most   int64 // bytes, then it is renamed
	f      *os.File
	broken bool // the last line may be there in part
}

// open opens the file that has the name now.
func (f *file) open() error {
	next, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := next.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", f.path)
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = next.Chmod(0o600)
	}
	if err != nil {
		next.Close()
		return err
	}
	if f.f != nil {
		f.f.Close()
	}
	f.f = next
	return nil
}

// write appends a line with one write, so that lines of several processes do not
// mix.
func (f *file) write(line []byte) error {
	if err := f.current(); err != nil {
		return err
	}
	if f.broken {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.f.Write(line)
	f.broken = err != nil && (n > 0 || f.broken)
	return err
}

// current sees to it that the open file is the one of that name, and not too large.
func (f *file) current() error {
	if f.f == nil {
		return f.open()
	}
	named, err := os.Stat(f.path)
	own, ownErr := f.f.Stat()
	if err != nil || ownErr != nil || !os.SameFile(named, own) {
		f.broken = false
		return f.open() // somebody renamed or removed it
	}
	if own.Size() < f.most {
		return nil
	}
	return f.rotate(own)
}

// rotate renames the file. Other processes may do so at the same time: who gets the
// lock of the full file first renames it, and the others find another file there.
func (f *file) rotate(own os.FileInfo) error {
	unlock, err := lock(f.f)
	if err != nil {
		return err
	}
	named, err := os.Stat(f.path)
	if err == nil && os.SameFile(named, own) {
		err = os.Rename(f.path, f.path+".1")
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	unlock()
	if err != nil {
		return err
	}
	return f.open()
}

func (f *file) close() error {
	if f.f == nil {
		return nil
	}
	return f.f.Close()
}
