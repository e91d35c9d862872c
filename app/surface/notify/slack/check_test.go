package slack_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

func TestCheck(t *testing.T) {
	s := slacktest.New(t)
	team, bot, err := slack.Check(t.Context(), options(s))
	if team != "Acme" || bot != "sayso" || err != nil {
		t.Errorf("got %q, %q, %v", team, bot, err)
	}
	tests := []struct {
		name   string
		change func(*slack.Options, *slacktest.Server)
		want   string
	}{
		{"the tokens are swapped", func(o *slack.Options, _ *slacktest.Server) { o.BotToken, o.AppToken = o.AppToken, o.BotToken }, "the bot token does not begin with xoxb-"},
		{"two bot tokens", func(o *slack.Options, _ *slacktest.Server) { o.AppToken = o.BotToken }, "the app token does not begin with xapp-"},
		{"a line end", func(o *slack.Options, _ *slacktest.Server) { o.BotToken += "\n" }, "a space or a line end"},
		{"an unknown bot token", func(o *slack.Options, _ *slacktest.Server) { o.BotToken = "xoxb-unknown" }, "the bot token: slack: auth.test: invalid_auth"},
		{"an unknown app token", func(o *slack.Options, _ *slacktest.Server) { o.AppToken = "xapp-unknown" }, "the app token: slack: apps.connections.open: invalid_auth"},
		{"revoked", func(_ *slack.Options, s *slacktest.Server) { s.Revoke(slacktest.BotToken) }, "token_revoked"},
		{"no direct messages", func(_ *slack.Options, s *slacktest.Server) { s.SetScopes("chat:write", "commands") }, "needed: im:write"},
		{"no commands", func(_ *slack.Options, s *slacktest.Server) { s.SetScopes("chat:write", "im:write") }, "needed: commands"},
		{"no writing", func(_ *slack.Options, s *slacktest.Server) { s.SetScopes("commands", "im:write") }, "needed: chat:write"},
		{"in the clear", func(o *slack.Options, _ *slacktest.Server) { o.API = "http://192.0.2.1/api" }, "must begin with https://"},
		{"no address", func(o *slack.Options, _ *slacktest.Server) { o.API = "slack" }, "is not one"},
		{"not reachable", func(o *slack.Options, _ *slacktest.Server) { o.API = "http://127.0.0.1:1" }, "connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := slacktest.New(t)
			o := options(s)
			tt.change(o, s)
			if _, _, err := slack.Check(t.Context(), o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// manifest is as much of Slack's manifests as ours has.
type manifest struct {
	Display struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Long        string `json:"long_description"`
	} `json:"display_information"`
	Features struct {
		Home struct {
			Home     bool `json:"home_tab_enabled"`
			Messages bool `json:"messages_tab_enabled"`
			ReadOnly bool `json:"messages_tab_read_only_enabled"`
		} `json:"app_home"`
		Bot struct {
			Name   string `json:"display_name"`
			Online bool   `json:"always_online"`
		} `json:"bot_user"`
		Commands []struct {
			Command     string `json:"command"`
			Description string `json:"description"`
			Hint        string `json:"usage_hint"`
			Escape      bool   `json:"should_escape"`
		} `json:"slash_commands"`
	} `json:"features"`
	OAuth struct {
		Scopes struct {
			Bot []string `json:"bot"`
		} `json:"scopes"`
	} `json:"oauth_config"`
	Settings struct {
		Interactivity struct {
			Enabled bool `json:"is_enabled"`
		} `json:"interactivity"`
		Org    bool `json:"org_deploy_enabled"`
		Socket bool `json:"socket_mode_enabled"`
		Rotate bool `json:"token_rotation_enabled"`
	} `json:"settings"`
}

// TestManifest wants the app that people create to have the scopes that the code uses,
// and no others.
func TestManifest(t *testing.T) {
	data, err := os.ReadFile("../../../../docs/examples/slack-app.json")
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	used := []string{"commands"} // linking is a slash command
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods := regexp.MustCompile(`c\.(?:bot|app), "([a-zA-Z.]+)"`)
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range methods.FindAllSubmatch(source, -1) {
			scope, ok := slacktest.Scope(string(call[1]))
			if found++; !ok {
				t.Errorf("%s calls %s, which the fake does not know", file, call[1])
			}
			if scope != "" {
				used = append(used, scope)
			}
		}
	}
	slices.Sort(used)
	used = slices.Compact(used)
	if found < 8 || !slices.Equal(used, slack.Scopes) || !slices.Equal(m.OAuth.Scopes.Bot, used) {
		t.Errorf("%d calls use %v, the package says %v and the manifest %v", found, used, slack.Scopes, m.OAuth.Scopes.Bot)
	}
	f, set := m.Features, m.Settings
	switch {
	case len(f.Commands) != 1 || f.Commands[0].Command != "/sayso":
		t.Errorf("the commands are %+v", f.Commands)
	case !f.Home.Messages || !f.Home.ReadOnly:
		t.Error("people could write messages to the app that nobody reads")
	case !set.Interactivity.Enabled || !set.Socket || set.Org || set.Rotate:
		t.Errorf("the settings are %+v", set)
	case len(m.Display.Name) > 35 || len(m.Display.Description) > 140 || len(m.Display.Long) < 174 || len(m.Display.Long) > 4000:
		t.Error("a description is too long or too short for Slack")
	}
}
