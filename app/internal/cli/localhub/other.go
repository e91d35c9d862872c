//go:build !unix

package localhub

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
)

var errNoLocalHub = errors.New("there is no local hub on this system; name one with --hub")

func ours(fs.FileInfo) bool { return true }
func detach(*exec.Cmd)      {}
func absent(error) bool     { return false }
func crowded(error) bool    { return false }

func lock(context.Context, string, func() bool) (*os.File, error) { return nil, errNoLocalHub }
