//go:build !unix

package docstest

import "os/exec"

// mark is in the environment of every process of a page.
const mark = "SAYSO_DOCS_PAGE"

func own(*exec.Cmd) {}

func end(cmd *exec.Cmd, _ <-chan struct{}) { cmd.Process.Kill() }

func killMarked(string) {}
