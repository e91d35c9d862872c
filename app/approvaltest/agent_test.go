package approvaltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// player plays Claude Code: for each call PreToolUse, then its own dialog beside
// PermissionRequest, the first decision wins, then the tool, then PostToolUse. Without a
// terminal (claude -p) it has no dialog, and without a decision the call is refused.
type player struct {
	*journal
	dir      string
	session  string
	headless bool
}

// playAgent plays the calls that no agent of this number has begun yet: one that is
// killed is replaced by the next.
func playAgent(ctx context.Context) error {
	s, err := readSettings()
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	name := fmt.Sprintf("agent-%02d.jsonl", number)
	p := &player{dir: os.Getenv(dirEnv), session: fmt.Sprintf("session-%d-%d", number, os.Getpid()), headless: number%2 == 1}
	if p.journal, err = openJournal(name); err != nil {
		return err
	}
	notes, err := readJournals(p.dir, name[:len(name)-len(".jsonl")])
	if err != nil {
		return err
	}
	begun := map[string]bool{}
	for _, n := range notes {
		begun[n.Call] = true
	}
	for i := number; i < s.Calls; i += s.Agents {
		if !begun[callID(i)] {
			if err := p.play(ctx, i, rand.New(rand.NewPCG(s.Seed, uint64(i)))); err != nil {
				return err
			}
		}
	}
	return nil
}

// commands are few, so that calls with the same input follow each other.
var commands = []string{"make test", "git push", "rm -rf build", "npm run build && npm test"}

func (p *player) play(ctx context.Context, i int, r *rand.Rand) error {
	id := callID(i)
	command := commands[r.IntN(len(commands))]
	input, err := json.Marshal(map[string]string{"command": command, "description": "step"})
	if err != nil {
		return err
	}
	hub := ""
	switch r.IntN(40) {
	case 0, 1:
		hub = "none" // for this call
	case 2:
		hub = filepath.Join(p.dir, "no.sock")
	}
	if err := p.write(id, began, wanted(p.session, command)); err != nil {
		return err
	}
	if err := p.hook(ctx, hub, "PreToolUse", id, input, nil).Run(); err != nil {
		if err := p.write(id, preFailed, err.Error()); err != nil {
			return err
		}
	}
	allowed, err := p.ask(ctx, hub, id, input, r)
	if err != nil {
		return err
	}
	if !allowed {
		return p.write(id, ended, "")
	}
	if err := p.write(id, ran, ""); err != nil { // this is the tool
		return err
	}
	var says bytes.Buffer
	post := p.hook(ctx, hub, "PostToolUse", id, input, &says)
	w := told
	if err := post.Run(); err != nil || says.Len() > 0 || hub != "" {
		w = untold
	}
	if err := p.write(id, w, says.String()); err != nil {
		return err
	}
	return p.write(id, ended, "")
}

// ask returns whether the tool may run.
func (p *player) ask(ctx context.Context, hub, id string, input []byte, r *rand.Rand) (bool, error) {
	var out, says bytes.Buffer
	hook := p.hook(ctx, hub, "PermissionRequest", "", input, &says)
	hook.Stdout = &out
	if err := hook.Start(); err != nil {
		return false, err
	}
	over := make(chan what, 1)
	go func() {
		failed := hook.Wait() != nil
		w := verdict(out.Bytes()) // Claude Code reads it also if the hook fails or is killed
		if w == hookSilent && failed {
			w = hookFailed
		}
		p.write(id, w, says.String())
		over <- w
	}()
	var dialog <-chan time.Time // when the person at the terminal decides
	yes := r.IntN(2) == 0
	later := time.Duration(20+r.IntN(200)) * time.Millisecond
	if !p.headless && r.IntN(3) == 0 {
		dialog = time.After(time.Duration(r.IntN(150)) * time.Millisecond)
	}
	end := time.After(30 * time.Second)
	for {
		select {
		case w := <-over:
			switch {
			case w == hookAllows, w == hookDenies:
				return w == hookAllows, nil
			case p.headless:
				return false, p.write(id, refused, "")
			}
			over = nil
			if dialog == nil {
				dialog = time.After(later)
			}
			continue
		case <-end: // nobody came; Ctrl-C
			yes = false
		case <-dialog:
		}
		if yes {
			return true, p.write(id, dialogAllows, "") // the hook lives on
		}
		if over != nil {
			hook.Process.Signal([]os.Signal{syscall.SIGTERM, syscall.SIGKILL}[r.IntN(2)])
		}
		return false, p.write(id, dialogDenies, "")
	}
}

// verdict reads a hook's reply.
func verdict(out []byte) what {
	var reply struct {
		Output struct {
			Event    string `json:"hookEventName"`
			Decision struct{ Behavior string }
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(out, &reply) != nil || reply.Output.Event != "PermissionRequest" {
		return hookSilent
	}
	switch reply.Output.Decision.Behavior {
	case "allow":
		return hookAllows
	case "deny":
		return hookDenies
	}
	return hookSilent
}

// hook returns a hook that is about to be run for an event.
func (p *player) hook(ctx context.Context, hub, event, call string, input []byte, says *bytes.Buffer) *exec.Cmd {
	e := map[string]any{
		"session_id": p.session, "transcript_path": filepath.Join(p.dir, "transcript.jsonl"), "cwd": p.dir, "prompt_id": "prompt-1",
		"permission_mode": "default", "hook_event_name": event, "tool_name": "Bash", "tool_input": json.RawMessage(input),
	}
	switch event {
	case "PermissionRequest":
		e["permission_suggestions"] = json.RawMessage(`[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make test"}],"behavior":"allow","destination":"localSettings"}]`)
	case "PostToolUse":
		e["tool_response"] = json.RawMessage(`{"stdout":"","stderr":"","interrupted":false}`)
		fallthrough
	default:
		e["tool_use_id"] = call
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // texts
	}
	cmd := exec.CommandContext(ctx, os.Args[0], "hook", "claude")
	entry := "cli"
	if p.headless {
		entry = "sdk-cli"
	}
	cmd.Env = append(os.Environ(), roleEnv+"=sayso", "CLAUDE_CODE_ENTRYPOINT="+entry)
	if hub != "" {
		cmd.Env = append(cmd.Env, "SAYSO_HUB="+hub)
	}
	cmd.Stdin = bytes.NewReader(data)
	if says != nil {
		cmd.Stderr = says
	}
	return cmd
}
