package claude

import (
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/claudecall"
)

// Approval returns what Claude Code wants to do.
func (e *event) Approval(read func(path string) (*string, error)) *sayso.Approval {
	return e.call(read).Approval()
}

func (e *event) call(read func(path string) (*string, error)) *claudecall.Call {
	return &claudecall.Call{
		Tool: e.Tool, Input: e.Input, Cwd: e.Dir, Mode: e.Mode, Suggestions: e.Suggestions, Read: read,
	}
}
