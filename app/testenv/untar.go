package testenv

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Untar unpacks a compressed archive of testdata, such as a data folder that an
// earlier version wrote, into a folder that only this user can read.
func Untar(t testing.TB, name, dir string) {
	t.Helper()
	if err := untar(name, dir); err != nil {
		t.Fatal(err)
	}
}

func untar(name, dir string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		folder := filepath.Dir(path)
		if h.FileInfo().IsDir() {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if folder == path {
			continue
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
	}
}
