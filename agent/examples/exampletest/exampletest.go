// Package exampletest is the world around an example: a scripted model, a hub, and a
// person who takes the second option of everything.
package exampletest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// Key is what the hub wants to see.
const Key = "the-key-of-the-example"

// World is what an example runs in.
type World struct {
	Model *modeltest.Server
	Hub   string // its address
}

// Start starts the world. The model asks which database to use, with the tool that
// it is offered, and then says "done".
func Start(t *testing.T) *World {
	t.Helper()
	room, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(room, &httpapi.Options{Auth: anybody{}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api)
	w := &World{Hub: server.URL, Model: modeltest.New(t, modeltest.Steps(
		modeltest.Use("*sk*", map[string]any{"questions": []any{map[string]any{
			"question": "Which database?", "header": "Database", "multiSelect": false,
			"options": []any{
				map[string]any{"label": "PostgreSQL", "description": "A server"},
				map[string]any{"label": "SQLite", "description": "A file"},
			},
		}}}),
		modeltest.Say("done"),
	))}
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		answer(ctx, room)
	}()
	t.Cleanup(func() { cancel(); <-gone; api.Close(); server.Close(); room.Stop() })
	return w
}

// Run runs an example, which finds its hub and its model by the environment, the
// model by the variable url and below path. The example asks, the model is told the
// answer, and its last word is printed.
func Run(t *testing.T, example func(ctx context.Context, out io.Writer, prompt string) error, url, path string) {
	t.Helper()
	w := Start(t)
	t.Setenv("SAYSO_HUB", w.Hub)
	t.Setenv("SAYSO_KEY", Key)
	t.Setenv(url, w.Model.URL+path)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := example(ctx, &out, "Set up a service"); err != nil {
		t.Fatal(err)
	}
	if out.String() != "done\n" {
		t.Errorf("the example says %q", out.String())
	}
	if r := w.Model.Results(); len(r) != 1 || !strings.Contains(r[0].Text, "SQLite") || r[0].IsError {
		t.Errorf("the model was told %+v", r)
	}
}

// answer is the person.
func answer(ctx context.Context, room *hub.Hub) {
	for ctx.Err() == nil {
		page, err := room.List(ctx, "example", nil)
		if err != nil {
			return
		}
		for _, t := range page.Tickets {
			o := &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}}
			for _, q := range t.Ask.Questions {
				o.Answers = append(o.Answers, sayso.Answer{QuestionID: q.ID, Selected: []string{q.Options[1].ID}})
			}
			if _, err := room.Close(ctx, t, o, nil); err != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

type anybody struct{}

func (anybody) Authenticate(r *http.Request) (*auth.Principal, error) {
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return nil, auth.ErrCredential
	}
	return &auth.Principal{Tenant: "example", ID: "bot", Role: auth.Everything}, nil
}
