package localhub

import (
	"html"
	"os"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso/app/auth"
)

// LoginPage writes a page that leads to a login address, and returns its file, which
// a program can be told to open: the process list, which every user of the machine
// can read, then does not have the address. Only the person can read the file. It is
// removed when the hub ends, or by the next one that is written when it is of no use
// any more.
func (p Places) LoginPage(link string) (string, error) {
	if err := private(p.Runtime); err != nil {
		return "", err
	}
	p.removeLoginPages(auth.LinkFor)
	f, err := os.CreateTemp(p.Runtime, "login-*.html") // new, with mode 0600: nobody waits there with a link
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(`<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `"><title>sayso</title>` + "\n")
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// removeLoginPages removes the pages that are older than age. One that stays does no
// harm: only the person can read it.
func (p Places) removeLoginPages(age time.Duration) {
	all, _ := filepath.Glob(filepath.Join(p.Runtime, "login-*.html"))
	for _, name := range all {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) >= age {
			os.Remove(name)
		}
	}
}
