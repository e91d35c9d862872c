package console

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestBuild(t *testing.T) {
	where, with := runtime.GOOS+"/"+runtime.GOARCH, runtime.Version()
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs.revision", Value: "9f26236aa81e1a4c"}, {Key: "vcs.time", Value: "2026-11-16T07:35:12Z"}, {Key: "vcs.modified", Value: modified},
		}
	}
	for _, tc := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no record", nil, "devel (" + where + ", " + with + ")"},
		{"checkout, no vcs", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "devel (" + where + ", " + with + ")"},
		{"go install of a version", &debug.BuildInfo{Main: debug.Module{Version: "v0.4.0"}}, "0.4.0 (" + where + ", " + with + ")"},
		{"tagged checkout", &debug.BuildInfo{Main: debug.Module{Version: "v0.4.0"}, Settings: vcs("false")}, "0.4.0 (" + where + ", commit 9f26236, 2026-11-16, " + with + ")"},
		{"changed checkout", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("true")}, "devel (" + where + ", commit 9f26236 with changes, 2026-11-16, " + with + ")"},
	} {
		if got := buildOf(tc.info).String(); got != tc.want {
			t.Errorf("%s: %s\nwant %s", tc.name, got, tc.want)
		}
	}
}
