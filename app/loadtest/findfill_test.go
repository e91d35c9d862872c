package loadtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// findSpec says which store to fill for searches.
type findSpec struct {
	Engine       string // folder of the only node
	Closed, Open int
}

// The words of agents and people: some in most asks, some in few, and names of files
// and tickets that are in one.
var (
	findCommon = strings.Fields("the a should I use run change add remove keep in on for with to of and or this that file test service database migration branch deploy build")
	findUsual  = strings.Fields("postgres sqlite redis cache queue retry timeout schema index column table user account invoice payment order customer session token login password policy header cookie request response handler router client server gateway proxy metric trace log alert dashboard chart release version tag changelog license readme guide page template style color button form field label error message warning prompt secret key certificate domain region zone bucket object upload download backup restore archive export import report email phone address currency tax price discount coupon cart checkout refund shipping stock warehouse supplier contract review approve reject merge rebase commit push revert flag feature rollout canary staging production sandbox container image volume network port socket thread worker scheduler cron job batch stream event topic message broker consumer producer")
	findAgents = strings.Fields("planner builder reviewer tester migrator writer deployer researcher")
)

// findAsk is ask number i. Every hundredth has a word that no other text has.
func findAsk(i int, r *rand.Rand) *sayso.Ask {
	words := func(n int) string {
		var all []string
		for range n {
			switch k := r.IntN(20); {
			case k < 9:
				all = append(all, findCommon[r.IntN(len(findCommon))])
			case k < 19:
				all = append(all, findUsual[int(float64(len(findUsual))*r.Float64()*r.Float64())])
			default:
				all = append(all, fmt.Sprintf("%s_%d.go", findUsual[r.IntN(len(findUsual))], r.IntN(4000)))
			}
		}
		return strings.Join(all, " ")
	}
	agent := findAgents[r.IntN(len(findAgents))]
	a := &sayso.Ask{
		ID: fmt.Sprintf("find_%07d", i), AskedAt: time.Now().UTC().Add(-time.Duration(r.IntN(5*24*3600)) * time.Second),
		Origin: sayso.Origin{
			Agents: []string{agent}, Host: []string{"claude-code", "codex", "gemini", "copilot"}[r.IntN(4)], Asker: "bot-" + agent, Via: "http",
			Workspace: fmt.Sprintf("/home/dev/src/project%02d", r.IntN(20)), Branch: fmt.Sprintf("topic/%03d", r.IntN(200)), Conversation: fmt.Sprintf("run %05d", r.IntN(5000)),
		},
		Questions: []sayso.Question{{Header: words(1), Text: words(9) + "?", Body: words(15), Options: []sayso.Option{
			{Label: words(2), Description: words(4)}, {Label: words(2), Description: words(4)}, {Label: words(2)},
		}}},
	}
	for j := range a.Questions[0].Options {
		a.Questions[0].Options[j].Label += fmt.Sprint(" ", j)
	}
	if i%100 == 0 {
		a.Questions[0].Text += fmt.Sprintf(" zebra%d", i)
	}
	if r.IntN(4) == 0 {
		a.To = []string{person(r.IntN(10))}
	}
	if r.IntN(10) == 0 {
		a.Metadata = map[string]any{sayso.MetadataBlocked: map[string]any{"tools": []any{"deploy", "notify"}[:1+r.IntN(2)]}}
	}
	a.Normalize()
	return a
}

// fillFind stores open and closed asks through a hub, in this process.
func fillFind(ctx context.Context, spec findSpec) error {
	of := fillSpec{Engine: spec.Engine, Shards: 16, Count: spec.Closed + spec.Open}
	return fillEach(ctx, of, func(h *hub.Hub, k uint64) func(int) error {
		r := rand.New(rand.NewPCG(k, 19))
		return func(i int) error { return fillOne(ctx, h, i, i < spec.Closed, r) }
	})
}

func fillOne(ctx context.Context, h *hub.Hub, i int, closed bool, r *rand.Rand) error {
	a := findAsk(i, r)
	t, err := h.Submit(ctx, tenant, a)
	if err != nil || !closed {
		return err
	}
	by := person(r.IntN(10))
	if len(a.To) > 0 {
		by = a.To[0]
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: by, Surface: "web"}, At: a.AskedAt.Add(time.Hour), Answers: []sayso.Answer{
		{QuestionID: a.Questions[0].ID, Selected: []string{"o1"}, Note: fmt.Sprintf("%s, and see %s", findUsual[r.IntN(len(findUsual))], findUsual[r.IntN(len(findUsual))])},
	}}
	_, err = h.Close(ctx, t, o, &hub.CloseOptions{Consumed: i%10 != 0})
	return err
}
