package tui_test

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/tui"
	"github.com/saysohq/sayso/prompt"
)

// A host asks on its terminal, and line by line where there is none to draw on.
func ExampleNewResolver() {
	person := sayso.Fallback(
		tui.NewResolver(&tui.Options{Complete: tui.CompletePath(".")}),
		&prompt.Resolver{}, // with In and Out set
	)
	ask := &sayso.Ask{Questions: []sayso.Question{{Text: "Which name?"}}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nobody is at this example's terminal
	_, err := person.Ask(ctx, ask)
	fmt.Println(err != nil)
	// Output: true
}

// host is a program that has a screen of its own and shows the dialog in it.
type host struct {
	dialog *tui.Model
	answer string
}

func (h *host) Init() tea.Cmd { return h.dialog.Init() }

func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tui.ClosedMsg: // the person is done with one ask
		h.answer = sayso.RenderResult(msg.Ask, msg.Outcome)
		return h, nil
	case tui.DoneMsg: // and with all
		return h, tea.Quit
	}
	_, cmd := h.dialog.Update(msg)
	return h, cmd
}

func (h *host) View() tea.View { return h.dialog.View() }

func ExampleModel() {
	h := &host{dialog: tui.New([]*sayso.Ask{{
		ID: "ask_1",
		Questions: []sayso.Question{{
			Text:    "Which database?",
			Options: []sayso.Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "lite", Label: "SQLite"}},
		}},
	}}, &tui.Options{Guard: -1})} // a real host keeps the guard
	h.Init()
	h.Update(tea.KeyPressMsg{Code: '2', Text: "2"})
	h.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	fmt.Println(h.dialog.Record(0, 40))
	// Output: ✓ Which database? SQLite (unverified)
}
