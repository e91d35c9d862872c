package web

import (
	"html/template"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/saysohq/sayso/app/surface/words"
)

// The boxes of a task list. They are text and not controls: a control that is ticked
// could make a card of options look chosen.
const ticked, unticked = "☑", "☐"

// scrolled is a box in which a table scrolls, so that it breaks no words on a phone.
type scrolled struct{ ast.BaseBlock }

var kindScrolled = ast.NewNodeKind("Scrolled")

// Kind implements [ast.Node].
func (*scrolled) Kind() ast.NodeKind { return kindScrolled }

// Dump implements [ast.Node].
func (n *scrolled) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// drawer draws the boxes of task lists and those around tables.
type drawer struct{ words *words.Catalogue }

// RegisterFuncs implements [renderer.NodeRenderer].
func (d drawer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(extast.KindTaskCheckBox, d.task)
	reg.Register(kindScrolled, d.scrolled)
}

func (d drawer) task(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		box, label := unticked, d.words.Web.TaskOpen
		if n.(*extast.TaskCheckBox).IsChecked {
			box, label = ticked, d.words.Web.TaskDone
		}
		w.WriteString(`<span class="task" role="img" aria-label="` + template.HTMLEscapeString(label) + `">` + box + `</span> `)
	}
	return ast.WalkContinue, nil
}

func (d drawer) scrolled(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(`<div class="wide" role="group" tabindex="0" aria-label="` + template.HTMLEscapeString(d.words.Stats.Table) + `">` + "\n")
	} else {
		w.WriteString("</div>\n")
	}
	return ast.WalkContinue, nil
}
