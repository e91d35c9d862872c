package telegram_test

import (
	"html/template"
	"os"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// picture is a chat as a page. It says that it is not the app.
var picture = template.Must(template.New("").Parse(`<!DOCTYPE html><meta charset="utf-8"><style>
body{margin:0;background:#dfe7ee;font:15px/1.4 "DejaVu Sans",sans-serif;width:420px}
header{background:#fff;padding:12px 16px;font-weight:bold;border-bottom:1px solid #ccd5dd}
main{padding:12px}
.m{background:#fff;border-radius:12px;padding:8px 12px;margin:8px 40px 4px 0;white-space:pre-wrap;overflow-wrap:break-word}
.me{background:#d9f2d0;margin:8px 0 4px 90px}
.k{margin-right:40px;display:flex;gap:4px;margin-bottom:4px}
.k span{flex:1;background:#8fa5b8;color:#fff;border-radius:8px;padding:6px;text-align:center;font-size:13px}
footer{padding:8px 16px 12px;font-size:12px;color:#445}
</style><header>{{.Bot}}</header><main>{{range .Messages}}<div class="m{{if not .FromBot}} me{{end}}">{{.Text}}</div>{{range .Buttons}}<div class="k">{{range .}}<span>{{.Text}}</span>{{end}}</div>{{end}}{{end}}</main>
<footer>Drawn from the test server. The Telegram app looks different.</footer>`))

// TestPicture draws a chat for docs/pictures/telegram.sh, which says where.
func TestPicture(t *testing.T) {
	file := os.Getenv("SAYSO_PICTURE")
	if file == "" {
		t.Skip("a picture for the documents: run docs/pictures/telegram.sh")
	}
	withReal(t, func(r *real) {
		ann := r.link(42, "ann", notify.DetailSender)
		change := func(a *sayso.Ask) {
			a.Origin.Host, a.Origin.Workspace = "claude-code", "payments"
			a.Questions[0].Text = "Which database should the service use?"
		}
		first := r.ask("first", "ann", change)
		m := r.message(ann, first)
		ann.Press(m.ID, "Show the question")
		soon()
		ann.Press(m.ID, "Own words…")
		soon()
		ann.Reply(ann.Last().ID, "DuckDB, in a file")
		soon()
		second := r.ask("second", "ann", change)
		ann.Press(r.message(ann, second).ID, "Show the question")
		soon()
		out, err := os.Create(file)
		must(t, err)
		defer out.Close()
		must(t, picture.Execute(out, map[string]any{"Bot": telegramtest.Bot, "Messages": ann.Messages()[2:]}))
	})
}
