package webhook

import (
	"encoding/json"
	"errors"
	"net/url"

	"github.com/saysohq/sayso/app/outbound"
)

// Address is the address of a contact: where the receiver is, and what signs messages
// to it.
type Address struct {
	URL string `json:"url"`

	// Secrets sign every message, each of them. While one secret is replaced by
	// another, the receiver knows either.
	Secrets []string `json:"secrets"`
}

// NewAddress returns an address with a new secret. The options are those of the client
// that will send; nil means the defaults.
func NewAddress(to string, o *outbound.Options) (*Address, error) {
	a := &Address{URL: to, Secrets: []string{NewSecret()}}
	return a, a.Check(o)
}

// Check says what is wrong with an address.
func (a *Address) Check(o *outbound.Options) error {
	if err := outbound.CheckURL(a.URL, o); err != nil {
		return err
	}
	if len(a.URL) > 2000 {
		return errors.New("webhook: the address is longer than 2000 characters")
	}
	_, err := a.keys()
	return err
}

// Rotate gives the address a new secret, and keeps the latest one beside it for
// receivers that do not know the new one yet.
func (a *Address) Rotate() (secret string) {
	secret = NewSecret()
	a.Secrets = append([]string{secret}, a.Secrets[:min(1, len(a.Secrets))]...)
	return secret
}

// Name is the host of the receiver: what a person knows it by. The rest of the
// address may be a secret.
func (a *Address) Name() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return "webhook"
	}
	return u.Host
}

func (a *Address) keys() ([][]byte, error) {
	var keys [][]byte
	for _, s := range a.Secrets {
		key, err := parseSecret(s)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errSecret
	}
	return keys, nil
}

func parseAddress(raw json.RawMessage) (*Address, [][]byte, error) {
	var a Address
	if json.Unmarshal(raw, &a) != nil || a.URL == "" {
		return nil, nil, errors.New("webhook: the contact has no address: remove it and add it again")
	}
	keys, err := a.keys()
	return &a, keys, err
}
