// Command demo shows the terminal dialog and the inbox without an agent:
//
//	go run ./surface/tui/demo                three questions
//	go run ./surface/tui/demo -case inbox    an inbox with a few asks in it
//
// The dialog is drawn on the terminal; the outcome goes to standard output as
// JSON. It is what the pictures in docs/pictures are taken of.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/tui"
	"github.com/saysohq/sayso/hub"
)

func main() {
	which := flag.String("case", "service", "service, database, danger, name, command, diff or inbox")
	language := flag.String("lang", os.Getenv("LANG"), "the language of the dialog")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *which, *language); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, which, language string) error {
	o := &tui.Options{
		Words:    tui.Words(language),
		History:  []string{"order-processor", "billing-worker"},
		Complete: tui.CompletePath("."),
	}
	now := time.Now()
	if which == "inbox" {
		return inbox(ctx, o, now)
	}
	cases := asks(now)
	a, ok := cases[which]
	if !ok {
		return fmt.Errorf("there is no case %q", which)
	}
	out, err := tui.NewResolver(o).Ask(ctx, a)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// inbox fills a hub in memory and opens the person's inbox on it.
func inbox(ctx context.Context, o *tui.Options, now time.Time) error {
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		return err
	}
	defer h.Stop()
	if err := before(ctx, h, now); err != nil {
		return err
	}
	for _, name := range []string{"service", "danger", "name", "command", "database"} {
		a := asks(now)[name]
		a.Normalize()
		if _, err := h.Submit(ctx, "demo", a); err != nil {
			return err
		}
	}
	return tui.RunInbox(ctx, h.Inbox("demo", sayso.Responder{Kind: sayso.ByPerson, ID: "you", Surface: "terminal"}), o)
}

// before is what was asked and answered earlier.
func before(ctx context.Context, h *hub.Hub, now time.Time) error {
	a := asks(now)["database"]
	a.ID, a.AskedAt = "ask_before", now.Add(-72*time.Hour)
	a.Normalize()
	t, err := h.Submit(ctx, "demo", a)
	if err != nil {
		return err
	}
	o := &sayso.Outcome{
		Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{t.Ask.Questions[0].Options[1].ID}}},
		By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}, At: now.Add(-71 * time.Hour),
	}
	_, err = h.Close(ctx, t, o, nil)
	return err
}
