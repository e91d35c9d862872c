package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

const (
	pollFor   = 50 * time.Second // the longest that Telegram holds a poll
	callFor   = 15 * time.Second
	maxAnswer = 8 << 20
)

// secret is a text that no format and no log prints.
type secret string

func (secret) String() string       { return "[token]" }
func (secret) GoString() string     { return "[token]" }
func (secret) LogValue() slog.Value { return slog.StringValue("[token]") }

// api calls methods of the Bot API.
type api struct {
	base   string
	token  secret
	client *http.Client
	bad    error // why it cannot call anything
}

// tokens is how BotFather writes them. What has another form could end up elsewhere in
// the address.
var tokens = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`)

func newAPI(o *Options) *api {
	if o == nil {
		o = &Options{}
	}
	a := &api{base: strings.TrimRight(o.API, "/"), token: secret(o.Token), client: o.Client}
	if a.base == "" {
		a.base = API
	}
	if a.client == nil {
		a.client = defaultClient()
	}
	if !tokens.MatchString(o.Token) {
		a.bad = errors.New("telegram: this is not a bot token; @BotFather gives you one, such as 123456:ABC-DEF")
	} else if !private(a.base) {
		a.bad = errors.New("telegram: the address of the API must begin with https://, as the token is part of it")
	}
	return a
}

// private reports whether others on the way cannot read what is sent there.
func private(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback())
}

// apiError is a refusal by Telegram.
type apiError struct {
	method string
	Code   int    `json:"error_code"`
	Text   string `json:"description"`
	More   struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("telegram: %s: %d %s", e.method, e.Code, cut(clean(e.Text), 200))
}

// has reports whether the refusal says so. Telegram has no codes for these.
func (e *apiError) has(texts ...string) bool {
	for _, t := range texts {
		if strings.Contains(strings.ToLower(e.Text), strings.ToLower(t)) {
			return true
		}
	}
	return false
}

// wait is how long Telegram wants to be left alone.
func (e *apiError) wait() time.Duration {
	if e.Code != http.StatusTooManyRequests {
		return 0
	}
	return time.Duration(min(max(e.More.RetryAfter, 1), 24*60*60)) * time.Second
}

// call calls a method. The token, which is part of the address, is in no error.
func (a *api) call(ctx context.Context, method string, in, out any) error {
	if a.bad != nil {
		return a.bad
	}
	limit := callFor
	if method == "getUpdates" {
		limit += pollFor
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("telegram: %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/bot"+string(a.token)+"/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("telegram: %s: the address of the API is not valid", method)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := a.client.Do(req)
	if err != nil {
		return a.hide(method, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return a.hide(method, err)
	}
	var reply struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
		apiError
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		return fmt.Errorf("telegram: %s: the answer (status %d) is not from the Bot API; check --api", method, res.StatusCode)
	}
	if !reply.OK {
		reply.apiError.method, reply.apiError.Text = method, a.scrub(reply.apiError.Text)
		if reply.apiError.Code == 0 {
			reply.apiError.Code = res.StatusCode
		}
		return &reply.apiError
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(reply.Result, out); err != nil {
		return fmt.Errorf("telegram: %s: the result has another form than documented", method)
	}
	return nil
}

// hidden is an error whose text was cleaned; what it wraps only says of what kind it is.
type hidden struct {
	text string
	kind error
}

func (h *hidden) Error() string { return h.text }
func (h *hidden) Unwrap() error { return h.kind }

// hide makes an error of the HTTP client one that can be shown.
func (a *api) hide(method string, err error) error {
	h := &hidden{text: a.scrub(fmt.Sprintf("telegram: %s: %v", method, err))}
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		h.text = a.scrub(fmt.Sprintf("telegram: %s: cannot reach %s: %v", method, a.base, ue.Err))
	}
	for _, kind := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, kind) {
			h.kind = kind
		}
	}
	if op := (*net.OpError)(nil); h.kind == nil && errors.As(err, &op) {
		h.kind = &net.OpError{Op: op.Op, Net: op.Net, Err: errors.New("see above")}
	}
	return h
}

// scrub takes the token out of a text, also its second half alone, which is the secret.
func (a *api) scrub(text string) string {
	token := string(a.token)
	_, half, _ := strings.Cut(token, ":")
	for _, t := range []string{token, url.PathEscape(token), url.QueryEscape(token), half} {
		if len(t) > 3 {
			text = strings.ReplaceAll(text, t, "[token]")
		}
	}
	return text
}

// explain says what to do about a refusal that concerns the whole bot.
func explain(err error) error {
	var e *apiError
	switch {
	case !errors.As(err, &e):
		return err
	case e.Code == http.StatusUnauthorized || e.Code == http.StatusNotFound:
		return errors.New("telegram: Telegram does not know this bot token; ask @BotFather for the current one, then run: sayso notify add telegram")
	case e.Code == http.StatusConflict && e.has("webhook"):
		return errors.New("telegram: the bot has a webhook, so it cannot be polled; use a bot of its own for sayso")
	case e.Code == http.StatusConflict:
		return errors.New("telegram: another program polls with the token of this bot; stop it, or use a bot of its own for sayso")
	}
	return err
}

// gone are the refusals after which a chat is of no use any more. Other ones with code
// 403 have been seen to pass.
var gone = []string{"bot was blocked by the user", "user is deactivated", "can't initiate conversation", "chat not found", "peer_id_invalid", "bot was kicked"}

// failed turns an error of a call into one that the notifier understands. A
// [notify.RetryError] says that the message did not arrive; with any other error nobody
// knows.
func failed(err error) error {
	var e *apiError
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		return &notify.RetryError{Err: err}
	case !errors.As(err, &e) || e.Code >= http.StatusInternalServerError:
		return err
	case (e.Code == http.StatusForbidden || e.Code == http.StatusBadRequest) && e.has(gone...):
		return fmt.Errorf("%w: %w", notify.ErrGone, err)
	case e.wait() > 0:
		return &notify.RetryError{After: e.wait(), Err: err}
	case e.Code == http.StatusBadRequest || e.Code == http.StatusRequestEntityTooLarge:
		return &notify.RetryError{Never: true, Err: err}
	}
	return &notify.RetryError{Err: explain(err)}
}
