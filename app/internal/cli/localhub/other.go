//go:build !unix

package localhub

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
)

func ours(fs.FileInfo) bool { return true }
func detach(*exec.Cmd)      {}
func absent(error) bool     { return false }
func crowded(error) bool    { return false }

func lock(context.Context, string, func() bool) (*os.File, error) { return nil, errNoLocalHub }

func openPage(string) error { return errors.New("no browser is known here; answer with: sayso inbox") }
