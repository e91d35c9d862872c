package model_test

import (
	"strings"
	"testing"

	"charm.land/fantasy"

	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/modeltest"
)

// Every provider speaks the wire that is meant, and tries only once.
func TestOpen(t *testing.T) {
	t.Parallel()
	for provider, wire := range map[string]string{
		model.Anthropic: modeltest.Messages, model.OpenAI: modeltest.Responses, model.OpenAICompatible: modeltest.Chat,
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := modeltest.New(t, modeltest.Steps(modeltest.Reply{Status: 500}))
			c := model.Config{Provider: provider, Model: "gpt-5", APIKey: "none", BaseURL: s.URL + "/v1", Headers: map[string]string{"X-Test": "yes"}}
			if provider == model.Anthropic {
				c.Model, c.BaseURL = "claude-sonnet-4-5", s.URL
			}
			m, err := model.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			tools := []fantasy.Tool{fantasy.FunctionTool{Name: "x", InputSchema: map[string]any{"type": "object"}}}
			if _, err := m.Generate(t.Context(), fantasy.Call{Prompt: fantasy.Prompt{fantasy.NewUserMessage("hello")}, Tools: tools}); err == nil {
				t.Error("no error")
			}
			r := s.Requests()
			if len(r) != 1 || r[0].Wire != wire || r[0].Header.Get("X-Test") != "yes" || r[0].Model != c.Model {
				t.Errorf("%d requests, the first is %+v", len(r), r[0])
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []model.Config{
		{}, {Provider: "x", Model: "y"}, {Provider: model.Anthropic}, {Provider: model.OpenAICompatible, Model: "y"},
	} {
		if _, err := model.Open(t.Context(), c); err == nil || !strings.HasPrefix(err.Error(), "model: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if model.KeyVariable(model.Anthropic) != "ANTHROPIC_API_KEY" || model.KeyVariable(model.OpenAI) != "OPENAI_API_KEY" {
		t.Error("the keys are elsewhere")
	}
}
