package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// A host that is killed before or after any of its effects, and started again on
// the same engine, comes to the same end as one that lives: no tool had its effect
// twice, no question was asked twice, no answer was lost.
//
// In CI it dies once at every kind of point. With SAYSO_KILL=1 (make kill) it dies
// at every single one, once with a person who answers at once and once with one
// who waits, and then again in its second life.
func TestKill(t *testing.T) {
	m := newMatrix(t)
	calm := map[string]*run{}
	for _, s := range scenes {
		calm[s.name] = m.run(t, s, true, point{})
	}
	if long() {
		for _, s := range scenes {
			for _, p := range calm[s.name].points {
				m.kill(t, s, calm[s.name], p)
			}
		}
	} else {
		for _, s := range scenes {
			for _, p := range calm[s.name].points {
				if !m.planned[p.Kind] {
					m.planned[p.Kind] = true
					m.kill(t, s, calm[s.name], p)
				}
			}
		}
	}
	t.Cleanup(func() { m.report(t) })
}

func long() bool { return os.Getenv("SAYSO_KILL") != "" }

// kill has the host die at a point, in all the ways there are.
func (m *matrix) kill(t *testing.T, s *scene, calm *run, p point) {
	t.Run(fmt.Sprintf("%s %s", s.name, p), func(t *testing.T) {
		t.Parallel()
		m.judge(t, calm, m.run(t, s, true, p))
		if long() {
			again := calm.points[testenv.Rand(t).IntN(len(calm.points))]
			m.judge(t, calm, m.run(t, s, false, p))
			m.judge(t, calm, m.run(t, s, false, p, again))
		}
	})
}

// The engine dies with the host, when it is the host's own.
func TestKillWithEngine(t *testing.T) {
	m := newMatrix(t)
	m.own = true
	s := sceneNamed("ask")
	calm := m.run(t, s, false, point{})
	for n, p := range calm.points {
		if long() || n%9 == 4 {
			t.Run(p.String(), func(t *testing.T) {
				t.Parallel()
				m.judge(t, calm, m.run(t, s, false, p))
			})
		}
	}
}

// matrix is what all kills have in common.
type matrix struct {
	url, seed string
	own       bool // the host has its own engine
	planned   map[string]bool
	mutant    string // what is wrong with the host

	mu          sync.Mutex
	tenants     int
	kinds       map[string]bool // that a host died at
	kills       int
	lived       int // runs that did not come by the point where they were to die
	interrupted int // runs in which the model was told that nobody knows what became of a call
	reads       int // calls of the tool that only reads which were made again
}

func newMatrix(t *testing.T) *matrix {
	m := &matrix{planned: map[string]bool{}, kinds: map[string]bool{}}
	key, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := key.PublicKey()
	seed, _ := key.Seed()
	server, err := natsserver.Start(t.Context(), &natsserver.Options{
		Dir: t.TempDir(), MaxStore: 1 << 30, Client: &natsserver.ClientOptions{Listen: "127.0.0.1:0", Keys: []string{public}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	m.url, m.seed = "nats://"+server.Addr().String(), string(seed)
	return m
}

// run is one telling of a scene.
type run struct {
	points    []point // by which the last life came
	killed    []point // where it died
	story     string
	done      map[string]int
	questions []string
	answered  int
}

// run plays a scene with a host that dies at these points of its lives, one after
// the other, and then lives.
func (m *matrix) run(t *testing.T, s *scene, patient bool, kills ...point) *run {
	t.Helper()
	m.mu.Lock()
	m.tenants++
	o := orders{Scene: s.name, URL: m.url, Seed: m.seed, Mutant: m.mutant, Tenant: fmt.Sprintf("t%d", m.tenants)}
	m.mu.Unlock()
	shop := newShop(t)
	o.Tools, o.Model = shop.URL, modeltest.New(t, s.script).URL
	r := &run{}
	if m.own {
		o.URL, o.Dir = "", t.TempDir()
	} else {
		e := m.open(t, &o)
		p := newPerson(e, o.Tenant, s, patient)
		stop := p.start()
		defer func() {
			stop()
			r.answered = p.answered
		}()
	}
	for _, o.Kill = range append(kills, point{}) {
		var died bool
		if r.points, died = o.live(t); !died {
			break // it came to the end
		}
		if o.Kill.Kind == "" {
			t.Fatal("the host died by itself")
		}
		r.killed = append(r.killed, o.Kill)
		m.mu.Lock()
		m.kills++
		m.kinds[o.Kill.Kind] = true
		m.mu.Unlock()
	}
	m.look(t, m.open(t, &o), r)
	shop.mu.Lock()
	defer shop.mu.Unlock()
	r.done = maps.Clone(shop.done)
	return r
}

// open opens the engine as a surface does.
func (m *matrix) open(t *testing.T, o *orders) *engine.Engine {
	t.Helper()
	e, end, err := o.engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return e
}

// live runs the host as a process, and returns by which points it says that it
// came.
func (o orders) live(t *testing.T) (points []point, died bool) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	died = err != nil && strings.Contains(err.Error(), "killed")
	if err != nil && !died || ctx.Err() != nil {
		t.Fatalf("the host: %v\n%s", err, errs.String())
	}
	seen := map[string]int{}
	for line := range strings.Lines(out.String()) {
		if kind, ok := strings.CutPrefix(strings.TrimSpace(line), "POINT "); ok {
			seen[kind]++
			points = append(points, point{kind, seen[kind]})
		}
	}
	return points, died
}

// look reads what became of the scene.
func (m *matrix) look(t *testing.T, e *engine.Engine, r *run) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := agent.Look(ctx, e.Journal, "c1")
	if err != nil {
		t.Fatal(err)
	}
	r.story = tell(c)
	page, err := e.Hub.List(ctx, e.Tenant, &hub.Filter{Status: hub.AnyStatus})
	if err != nil {
		t.Fatal(err)
	}
	for _, ticket := range page.Tickets {
		r.questions = append(r.questions, fmt.Sprintf("%s: %s", ticket.Ask.Questions[0].Text, ticket.Status()))
	}
	slices.Sort(r.questions)
}

// What becomes of a call that must not be made twice is for the model to find out.
var unsure = regexp.MustCompile(`#\d+ (error The call was interrupted[^\n]*|pay did [^\n]*)`)

// judge fails the test if a run differs from the calm one.
func (m *matrix) judge(t *testing.T, calm, got *run) {
	t.Helper()
	for _, problem := range m.compare(calm, got) {
		t.Errorf("killed at %v: %s", got.killed, problem)
	}
}

// compare returns in what a run differs from the calm one.
func (m *matrix) compare(calm, got *run) (problems []string) {
	problem := func(format string, a ...any) { problems = append(problems, fmt.Sprintf(format, a...)) }
	plain := func(s string) string { return unsure.ReplaceAllString(s, "PAY") }
	if plain(got.story) != plain(calm.story) {
		problem("the conversation is\n%s\nwant\n%s", got.story, calm.story)
	}
	if !slices.Equal(got.questions, calm.questions) || got.answered != calm.answered {
		problem("the questions are %q, %d answered, want %q, %d", got.questions, got.answered, calm.questions, calm.answered)
	}
	interrupted := strings.Count(got.story, "The call was interrupted")
	reads := 0
	for what, want := range calm.done {
		n := got.done[what]
		switch {
		case strings.HasPrefix(what, "read ") && n > want:
			reads += n - want
		case strings.HasPrefix(what, "pay ") && n < want && interrupted > 0:
		case n != want:
			problem("%s was done %d times", what, n)
		}
	}
	if reads > len(got.killed) {
		problem("there were %d reads more", reads)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads += reads
	if interrupted > 0 {
		m.interrupted++
	}
	if len(got.killed) == 0 {
		m.lived++
	}
	return problems
}

// A host that forgets which calls it has begun, or gives calls other keys in its
// next life, is noticed.
func TestKillNoticesMutants(t *testing.T) {
	t.Parallel()
	m := newMatrix(t)
	s := sceneNamed("ask")
	calm := m.run(t, s, true, point{})
	for mutant, want := range map[string]string{mutantClaims: "pay p1 was done 2 times", mutantKeys: "write w1 was done 2 times"} {
		found := false
		for _, p := range calm.points {
			if p.Kind != "ExecuteTool after" {
				continue
			}
			m.mutant = mutant
			if found = slices.Contains(m.compare(calm, m.run(t, s, true, p)), want); found {
				break
			}
		}
		if !found {
			t.Errorf("the mutant %q is not noticed", mutant)
		}
	}
}

// report checks that every kind of effect there is was died at, before and after.
func (m *matrix) report(t *testing.T) {
	for _, effect := range effectsInTheCode(t) {
		for _, phase := range []string{"before", "after"} {
			if !m.kinds[effect+" "+phase] {
				t.Errorf("no host died at %s %s", effect, phase)
			}
		}
	}
	t.Logf("FIGURE KILL %d kills; %d kinds of points; %d runs that did not come by theirs; 0 repeated effects, questions, lost answers; %d runs with a call of unknown outcome; %d reads made again",
		m.kills, len(m.kinds), m.lived, m.interrupted, m.reads)
}

// effectsInTheCode are the types with a Key in package conversation, and what this
// package does beside them.
func effectsInTheCode(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "../conversation/effect.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"own", "rest", "claim", "take"}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "Key" && f.Recv != nil {
			if id, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		}
	}
	if len(names) < 10 {
		t.Fatalf("found only %v", names)
	}
	return names
}
