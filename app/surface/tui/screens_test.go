package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
)

// views are the screens that the golden files show, each at three widths.
var views = []struct {
	name string
	asks []*sayso.Ask
	opts Options
	do   func(p *person)
}{
	{name: "single", asks: one(databases())},
	{name: "single-highlighted", asks: one(databases()), do: keys("down", "down")},
	{name: "single-chosen", asks: one(withPreviews()), do: keys("2")},
	{name: "single-stray-enter", asks: one(databases()), do: keys("enter")},
	{name: "own-words", asks: one(databases()), do: func(p *person) {
		p.press("0")
		p.types("DynamoDB, since we run on AWS already and nobody wants to operate a server")
	}},
	{name: "own-words-left", asks: one(databases()), do: func(p *person) { p.press("0"); p.types("DynamoDB"); p.press("esc") }},
	{name: "text", asks: one(name())},
	{name: "text-typed", asks: one(name()), do: func(p *person) { p.types("order-processor"); p.press("ctrl+j"); p.types("or orders") }},
	{name: "text-long", asks: one(name()), do: func(p *person) { p.pastes(strings.Repeat("All work and no play. ", 130)) }},
	{name: "text-history", asks: one(name()), opts: Options{History: []string{"order-processor", "billing"}}, do: keys("up", "up")},
	{name: "secret", asks: one(secret()), do: func(p *person) { p.types("hunter2") }},
	{name: "many", asks: one(frameworks())},
	{name: "many-scrolled", asks: one(frameworks()), do: keys("down", "down", "down", "down", "down", "down", "down")},
	{name: "many-filtered", asks: one(frameworks()), do: func(p *person) { p.press("/"); p.types("es") }},
	{name: "multi", asks: one(features())},
	{name: "multi-ticked", asks: one(features()), do: func(p *person) { p.press("1", "3", "0"); p.types("webhooks") }},
	{name: "note", asks: one(databases()), do: func(p *person) { p.press("2", "n"); p.types("only for the beta") }},
	{name: "note-kept", asks: one(databases()), do: func(p *person) { p.press("2", "n"); p.types("only for the beta"); p.press("enter") }},
	{name: "tabs", asks: one(service())},
	{name: "tabs-second", asks: one(service()), do: keys("2", "enter")},
	{name: "review", asks: one(service()), do: answerService},
	{name: "review-open", asks: one(service()), do: keys("2", "tab", "tab", "tab")},
	{name: "later", asks: one(databases()), opts: Options{Later: true}},
	{name: "leave", asks: one(databases()), do: keys("2", "esc")},
	{name: "leave-review", asks: one(service()), do: func(p *person) { answerService(p); p.press("esc") }},
	{name: "discard", asks: one(service()), do: func(p *person) { answerService(p); p.press("ctrl+d") }},
	{name: "danger", asks: one(branches()), do: keys("2")},
	{name: "danger-chosen", asks: one(branches()), do: keys("2", "enter")},
	{name: "choice-moved", asks: one(databases()), do: keys("2", "down", "enter")},
	{name: "several-asks", asks: []*sayso.Ask{databases(), name(), features()}, do: keys("2", "enter")},
	{name: "body", asks: one(withPreviews())},
	{name: "folded-text", asks: one(lengthy())},
	{name: "folded-text-enter", asks: one(lengthy()), do: keys("2", "enter")},
	{name: "folded-text-opened", asks: one(lengthy()), do: keys("ctrl+o", "pgdown")},
	{name: "deadline", asks: one(deadline())},
	{name: "deadline-touched", asks: one(deadline()), do: keys("down")},
	{name: "final", asks: one(final())},
	{name: "german-final", asks: one(final()), opts: Options{Words: German()}},
	{name: "elsewhere", asks: one(databases()), do: func(p *person) {
		p.press("0")
		p.types("use Postgres,")
		p.press("ctrl+j")
		p.types("but ask Ann first")
		p.program.Send(ClosedElsewhereMsg{"ask_db", &sayso.Outcome{
			Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}},
			By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}, At: start,
		}})
		p.wait(time.Second)
	}},
	{name: "draft-back", asks: one(databases()), opts: Options{LoadDraft: func(*sayso.Ask) ([]sayso.Answer, error) {
		return []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Note: "only for the beta"}}, nil
	}}, do: keys("enter")},
	{name: "cjk", asks: one(cjk()), do: keys("2")},
	{name: "cjk-typed", asks: one(cjk()), do: func(p *person) {
		p.press("0")
		p.types("先用文件保存，等用户多了再换成数据库，这样最省事。")
	}},
	{name: "approval", asks: one(mayRun())},
	{name: "approval-opened", asks: one(mayRun()), do: keys("ctrl+o", "pgdown")},
	{name: "approval-wide", asks: one(wideCommand()), do: keys("ctrl+o")},
	{name: "approval-diff", asks: one(mayEdit()), do: keys("ctrl+o")},
	{name: "approval-unread", asks: one(mayEdit()), do: keys("1", "enter")},
	{name: "approval-stored", asks: one(mayWrite()), opts: Options{Whole: beside(mayWrite())}, do: keys("ctrl+o", "end")},
	{name: "approval-unseen", asks: one(mayWrite()), opts: Options{Whole: beside(mayWrite())}, do: keys("down", "down", "down", "down", "down", "space", "enter")},
	{name: "approval-loading", asks: one(mayWrite()), opts: Options{Whole: stays}, do: keys("1", "enter")},
	{name: "approval-away", asks: one(mayWrite()), opts: Options{Whole: isAway}, do: keys("1", "enter")},
	{name: "approval-plan", asks: one(mayPlan()), do: keys("ctrl+o", "end")},
	{name: "approval-words", asks: one(mayRun()), do: func(p *person) { p.press("0"); p.types("publish from CI, not from here") }},
	{name: "approval-edit", asks: one(mayRun()), do: func(p *person) { p.press("ctrl+o", "end", "end", "down", "c"); p.types(" --dry-run") }},
	{name: "approval-edited", asks: one(mayRun()), do: func(p *person) {
		p.press("ctrl+o", "end", "end", "down", "c")
		p.types(" --dry-run")
		p.press("enter", "1")
	}},
	{name: "german-approval", asks: one(mayRun()), opts: Options{Words: German()}},
	{name: "german", asks: one(service()), opts: Options{Words: German()}, do: keys("2")},
	{name: "german-leave", asks: one(databases()), opts: Options{Words: German()}, do: keys("2", "esc")},
}

func one(a *sayso.Ask) []*sayso.Ask { return []*sayso.Ask{a} }

func keys(names ...string) func(*person) { return func(p *person) { p.press(names...) } }

func answerService(p *person) {
	p.press("2", "enter", "1", "3", "enter")
	p.types("order-processor")
	p.press("enter")
	p.wait(time.Second)
}

var widths = []terminal{{w: 40, h: 24}, {w: 80, h: 24}, {w: 120, h: 30}}

func TestScreens(t *testing.T) {
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			var got strings.Builder
			for _, term := range widths {
				fmt.Fprintf(&got, "=== %d × %d\n", term.w, term.h)
				synctest.Test(t, func(t *testing.T) {
					opts := v.opts
					opts.Now = func() time.Time { return start }
					opts.Guard = -1
					p := sit(t, New(v.asks, &opts), term)
					if v.do != nil {
						v.do(p)
					}
					got.WriteString(p.sees())
				})
			}
			golden(t, "screens/"+v.name+".txt", got.String())
		})
	}
}
