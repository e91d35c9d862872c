package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
)

// origin says where the command runs: the workspace is the nearest folder above
// that is a repository, or the working folder itself.
func (p *program) origin() sayso.Origin {
	top, head := repository(p.Dir)
	if top == "" {
		top = p.Dir
	}
	return sayso.Origin{
		Host:         "sayso",
		Workspace:    filepath.Base(top),
		Branch:       head,
		Conversation: console.FolderName(top),
	}
}

// repository returns the top folder and the branch of the repository that holds
// dir, or "" where there is none.
func repository(dir string) (top, branch string) {
	for {
		git := filepath.Join(dir, ".git")
		if b, err := os.ReadFile(git); err == nil { // a worktree: a file that names the folder
			if to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: "); ok {
				if !filepath.IsAbs(to) {
					to = filepath.Join(dir, to)
				}
				git = to
			}
		}
		if b, err := os.ReadFile(filepath.Join(git, "HEAD")); err == nil {
			branch, _ = strings.CutPrefix(strings.TrimSpace(string(b)), "ref: refs/heads/")
			if len(branch) == 40 && !strings.ContainsFunc(branch, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
				branch = branch[:8] // no branch is checked out, but a commit
			}
			return dir, branch
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}
