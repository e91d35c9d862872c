package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
)

// slackError is a refusal of the Web API.
type slackError struct {
	method string
	code   string // such as invalid_auth
	needed string // the scopes, if one is missing
}

func (e *slackError) Error() string {
	s := "slack: " + e.method + ": " + e.code
	if do := remedy[e.code]; do != "" {
		s += ": " + do
	}
	if e.needed != "" {
		s += " (needed: " + e.needed + ")"
	}
	return s
}

const anew = "install the app again and copy the new token"

// remedy is what to do about refusals that do not end by themselves.
var remedy = map[string]string{
	"invalid_auth":             "Slack does not know the token; copy it again",
	"not_authed":               "the token is empty",
	"token_revoked":            "the token was revoked; " + anew,
	"token_expired":            "the token has expired; " + anew,
	"account_inactive":         "the app or its workspace was removed; " + anew,
	"not_allowed_token_type":   "this is the wrong kind of token; the bot token begins with xoxb-, the app token with xapp-",
	"missing_scope":            "the token lacks a scope; create the app from the manifest, or add the scope and install it again",
	"no_permission":            "the token lacks a permission; " + anew,
	"forbidden_team":           "the workspace does not allow the app",
	"team_access_not_granted":  "the workspace does not allow the app",
	"access_denied":            "the workspace does not allow the app",
	"link_disabled":            "Socket Mode is switched off; switch it on in the settings of the app",
	"socket_mode_not_enabled":  "Socket Mode is switched off; switch it on in the settings of the app",
	"messages_tab_disabled":    "the app takes no direct messages; switch on the Messages tab in App Home",
	"org_login_required":       "the workspace is being moved; try again later",
	"ekm_access_denied":        "the workspace's administrators have suspended messages",
	"not_allowed_for_app":      "the workspace does not allow the app",
	"accesslimited":            "the workspace does not allow access from this address",
	"enterprise_is_restricted": "the workspace does not allow the app",
}

// fatal are refusals with which it is of no use to connect again.
var fatal = map[string]bool{
	"invalid_auth": true, "not_authed": true, "token_revoked": true, "token_expired": true, "account_inactive": true,
	"not_allowed_token_type": true, "missing_scope": true, "no_permission": true, "forbidden_team": true,
	"access_denied": true, "link_disabled": true, "socket_mode_not_enabled": true,
}

// gone are refusals that say that a person cannot be reached any more.
var gone = map[string]bool{
	"user_not_found": true, "users_not_found": true, "user_disabled": true, "user_not_visible": true,
	"is_archived": true, "channel_not_found": true, "account_inactive": true, "cannot_dm_bot": true,
}

// never are refusals of this very message.
var never = map[string]bool{
	"invalid_blocks": true, "invalid_blocks_format": true, "msg_too_long": true, "msg_blocks_too_long": true,
	"no_text": true, "invalid_arguments": true, "too_many_attachments": true,
}

// code is the refusal in the error, or "".
func code(err error) string {
	if e, ok := errors.AsType[*slackError](err); ok {
		return e.code
	}
	return ""
}

// call calls a method of the Web API.
func (c *Channel) call(ctx context.Context, token, method string, in, out any) error {
	_, err := c.callHeader(ctx, token, method, in, out)
	return err
}

// callHeader calls a method, and returns the header of the reply too.
func (c *Channel) callHeader(ctx context.Context, token, method string, in, out any) (http.Header, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("slack: %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.api+"/"+method, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("slack: %s: the address of the API is not one: %w", method, bare(err))
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	resp, err := c.client.Do(req)
	if err != nil {
		failed := fmt.Errorf("slack: %s: %w", method, bare(err))
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
			return nil, &notify.RetryError{Err: failed} // nothing was sent
		}
		return nil, failed
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("slack: %s: %w", method, bare(err))
	}
	return resp.Header, c.judge(method, resp, data, out)
}

// judge reads a reply.
func (c *Channel) judge(method string, resp *http.Response, data []byte, out any) error {
	if resp.StatusCode == http.StatusTooManyRequests {
		return &notify.RetryError{After: retryAfter(resp.Header), Err: fmt.Errorf("slack: %s: too many requests", method)}
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("slack: %s: HTTP status %d", method, resp.StatusCode)
	}
	var r struct {
		OK     bool   `json:"ok"`
		Error  string `json:"error"`
		Needed string `json:"needed"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("slack: %s: the reply is not JSON", method)
	}
	if r.OK {
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(data, out); err != nil {
			return fmt.Errorf("slack: %s: the reply has another form than expected", method)
		}
		return nil
	}
	e := &slackError{method: method, code: word(r.Error), needed: word(r.Needed)}
	switch {
	case e.code == "ratelimited", e.code == "rate_limited":
		return &notify.RetryError{After: retryAfter(resp.Header), Err: e}
	case gone[e.code]:
		return fmt.Errorf("%w: %w", e, notify.ErrGone)
	case never[e.code]:
		return &notify.RetryError{Never: true, Err: e}
	}
	if e.code == "fatal_error" || e.code == "internal_error" || e.code == "request_timeout" || e.code == "service_unavailable" {
		return e // nobody knows whether it was done
	}
	return &notify.RetryError{Err: e}
}

// retryAfter is how long Slack wants to be left alone: at least a second, at most an
// hour.
func retryAfter(h http.Header) time.Duration {
	return min(max(outbound.RetryAfter(h, time.Now()), time.Second), time.Hour)
}

// word is what a server calls an error, if it is a word: whatever else a server might
// send back, such as a token, is not repeated.
func word(s string) string {
	if len(s) > 64 || strings.Contains(s, "xox") || strings.Contains(s, "xapp") {
		return "unknown_error"
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("_:,.-", r) {
			return "unknown_error"
		}
	}
	return s
}

// bare is the error without the address that was called, which is secret for the
// connection.
func bare(err error) error {
	for {
		u, ok := errors.AsType[*url.Error](err)
		if !ok {
			return err
		}
		err = u.Err
	}
}
