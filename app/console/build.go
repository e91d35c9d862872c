package console

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// A release links these (see .goreleaser.yaml). Other builds leave them empty, and
// the go command's own record says what is known.
var linkedVersion, linkedCommit, linkedDate string

// Build says which program this is.
type Build struct {
	Version  string `json:"version"`            // without a leading v; "devel" if unknown
	Commit   string `json:"commit,omitempty"`   // empty if unknown, as after go install PACKAGE@VERSION
	Date     string `json:"date,omitempty"`     // of the commit, RFC 3339
	Modified bool   `json:"modified,omitempty"` // built from a checkout with uncommitted changes
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Go       string `json:"go"`
}

// Version returns the version of the program, as [Build] has it. The hub reports
// the same to its clients.
func Version() string { return ThisBuild().Version }

// ThisBuild returns what is known about the running program: what a release
// linked, or else what the go command recorded.
func ThisBuild() Build {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	b.Version = cmp.Or(linkedVersion, b.Version)
	b.Commit = cmp.Or(linkedCommit, b.Commit)
	b.Date = cmp.Or(linkedDate, b.Date)
	return b
}

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: "devel", OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	if info == nil {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = strings.TrimPrefix(v, "v")
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String returns one line: "0.4.0 (linux/amd64, commit 9f26236, 2026-11-16, go1.26.8)".
func (b Build) String() string {
	parts := []string{b.OS + "/" + b.Arch}
	if b.Commit != "" {
		commit := "commit " + b.Commit[:min(7, len(b.Commit))]
		if b.Modified {
			commit += " with changes"
		}
		parts = append(parts, commit)
	}
	if b.Date != "" {
		parts = append(parts, b.Date[:min(len("2006-01-02"), len(b.Date))])
	}
	return fmt.Sprintf("%s (%s)", b.Version, strings.Join(append(parts, b.Go), ", "))
}
