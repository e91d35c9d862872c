//go:build !unix

package wake

import "os/exec"

func detach(*exec.Cmd) {}
