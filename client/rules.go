package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// Rules returns the rules that the credential may see, in the order in which they were
// made.
func (c *Client) Rules(ctx context.Context) ([]hub.Rule, error) {
	var list api.RuleList
	err := c.do(ctx, &request{what: "listing rules", method: http.MethodGet, path: "/v1/rules", into: &list})
	return list.Rules, err
}

// AddRule makes a rule. An [*sayso.InvalidError] says why it cannot be one.
func (c *Client) AddRule(ctx context.Context, r *api.RuleRequest) (*hub.Rule, error) {
	var rule hub.Rule
	path := "/v1/rules"
	if r.Act == hub.RuleRequire {
		path += "/require"
	}
	err := c.do(ctx, &request{
		what: "adding a rule", method: http.MethodPost, path: path, body: r, into: &rule,
		header: http.Header{"Idempotency-Key": {rand.Text()}}, // a second try makes no second rule
	})
	if err != nil {
		return nil, err
	}
	return &rule, nil
}

// RehearseRule returns what the rule would have done to approvals that the person
// decided, and makes none.
func (c *Client) RehearseRule(ctx context.Context, r *api.RuleRequest) (*api.Rehearsal, error) {
	var out api.Rehearsal
	err := c.do(ctx, &request{what: "rehearsing a rule", method: http.MethodPost, path: "/v1/rules/rehearse", body: r, into: &out})
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// RevokeRule ends a rule, or, with "all", every rule that the credential may end. When
// it returns, the rule decides nothing any more. [hub.ErrNotFound] says that there is no
// such rule.
func (c *Client) RevokeRule(ctx context.Context, id string) ([]hub.Rule, error) {
	var list api.RuleList
	err := c.do(ctx, &request{what: "revoking a rule", method: http.MethodPost, path: "/v1/rules/" + url.PathEscape(cmp.Or(id, "-")) + "/revoke", into: &list})
	return list.Rules, err
}

// ExplainRules says which rule decided about the approval, or why none did.
func (c *Client) ExplainRules(ctx context.Context, handle string) (*api.Explanation, error) {
	var out api.Explanation
	err := c.do(ctx, &request{what: "explaining", method: http.MethodGet, path: askPath(handle, "rules"), into: &out})
	if err != nil {
		return nil, err
	}
	return &out, nil
}
