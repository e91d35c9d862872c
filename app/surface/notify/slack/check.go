package slack

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Check asks Slack whether both tokens are good and allow what is needed. It returns the
// names of the workspace and of the app's bot. It does not connect.
func Check(ctx context.Context, o *Options) (team, bot string, err error) {
	switch {
	case !strings.HasPrefix(o.BotToken, "xoxb-"):
		return "", "", errors.New("slack: the bot token does not begin with xoxb-; it is the Bot User OAuth Token under OAuth & Permissions")
	case !strings.HasPrefix(o.AppToken, "xapp-"):
		return "", "", errors.New("slack: the app token does not begin with xapp-; make one with the scope connections:write under Basic Information, App-Level Tokens")
	case strings.ContainsAny(o.BotToken+o.AppToken, " \t\r\n"):
		return "", "", errors.New("slack: a token has a space or a line end in it")
	}
	if err := private(o.API); err != nil {
		return "", "", err
	}
	c := New(o)
	var w workspace
	h, err := c.callHeader(ctx, c.bot, "auth.test", struct{}{}, &w)
	if err != nil {
		return "", "", fmt.Errorf("the bot token: %w", err)
	}
	if w.Enterprise || !named(w.Team, "T") {
		return "", "", errors.New("slack: the app is installed for an organization; install it in one workspace")
	}
	if given := h.Get("X-OAuth-Scopes"); given != "" {
		has := strings.FieldsFunc(given, func(r rune) bool { return r == ',' || r == ' ' })
		for _, s := range Scopes {
			if !slices.Contains(has, s) {
				return "", "", fmt.Errorf("the bot token: %w", &slackError{method: "auth.test", code: "missing_scope", needed: s})
			}
		}
	}
	if _, err := c.socket(ctx); err != nil {
		return "", "", fmt.Errorf("the app token: %w", err)
	}
	return w.Name, w.Bot, nil
}

// private refuses to send tokens over a network where others can read them.
func private(api string) error {
	if api == "" {
		return nil
	}
	u, err := url.Parse(api)
	if err != nil || u.Host == "" {
		return errors.New("slack: the address of the API is not one; it is https://slack.com/api unless you use a proxy")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Scheme == "https" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return errors.New("slack: the address of the API must begin with https://, or others could read the tokens")
}
