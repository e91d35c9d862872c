// Package model opens the model of a host by its configuration: Anthropic, OpenAI,
// or anything that speaks OpenAI's wire.
//
// Open makes no request; a wrong key or name shows with the first one. Requests
// are not tried again by the provider: the conversation counts attempts itself.
package model

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/anthropic"
	"charm.land/fantasy/providers/openai"
	"charm.land/fantasy/providers/openaicompat"
)

// The providers.
const (
	Anthropic        = "anthropic"
	OpenAI           = "openai"            // Chat Completions, or Responses for models that want it
	OpenAICompatible = "openai-compatible" // Chat Completions at the address given
)

// Config says which model to use.
type Config struct {
	Provider string            `json:"provider"`
	Model    string            `json:"model"`
	BaseURL  string            `json:"baseUrl,omitempty"` // default: the provider's; required for openai-compatible
	APIKey   string            `json:"-"`                 // a secret, so not part of the file
	Headers  map[string]string `json:"headers,omitempty"`

	HTTPClient *http.Client `json:"-"` // default: http.DefaultClient
}

// KeyVariable returns the environment variable in which the provider's key is
// usually kept.
func KeyVariable(provider string) string {
	switch provider {
	case Anthropic:
		return "ANTHROPIC_API_KEY"
	default:
		return "OPENAI_API_KEY"
	}
}

// Open returns the model.
func Open(ctx context.Context, c Config) (fantasy.LanguageModel, error) {
	if c.Model == "" {
		return nil, errors.New("model: no model is named")
	}
	p, err := c.provider()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := p.LanguageModel(ctx, c.Model)
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", c.Model, err)
	}
	return m, nil
}

func (c Config) provider() (fantasy.Provider, error) {
	client := c.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	switch c.Provider {
	case Anthropic:
		o := []anthropic.Option{anthropic.WithAPIKey(c.APIKey), anthropic.WithHTTPClient(client), anthropic.WithHeaders(c.Headers)}
		if c.BaseURL != "" {
			o = append(o, anthropic.WithBaseURL(c.BaseURL))
		}
		return anthropic.New(o...)
	case OpenAI:
		o := []openai.Option{openai.WithAPIKey(c.APIKey), openai.WithHTTPClient(client), openai.WithHeaders(c.Headers), openai.WithUseResponsesAPI()}
		if c.BaseURL != "" {
			o = append(o, openai.WithBaseURL(c.BaseURL))
		}
		return openai.New(o...)
	case OpenAICompatible:
		if c.BaseURL == "" {
			return nil, errors.New("openai-compatible needs an address")
		}
		return openaicompat.New(openaicompat.WithBaseURL(c.BaseURL), openaicompat.WithAPIKey(c.APIKey),
			openaicompat.WithHTTPClient(client), openaicompat.WithHeaders(c.Headers))
	}
	return nil, fmt.Errorf("there is no provider %q; there are %s, %s and %s", c.Provider, Anthropic, OpenAI, OpenAICompatible)
}
