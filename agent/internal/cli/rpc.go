package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/dialect"
)

func (p *program) rpcCommand() *cobra.Command {
	goOn := false
	cmd := &cobra.Command{
		Use:   "rpc",
		Short: "Speak JSON to a program",
		Long: `Speak JSON to a program on standard input and output, one object a line.

The program sends prompt, ask_user_response, abort, branch, compact, get_questions and
get_state. It receives what happens, and every question as ask_user_request. When
standard input ends, the agent finishes its work and exits. Its questions stay open.`,
		Example: "  sayso-agent rpc --continue",
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := console.Interruptible(cmd.Context(), p.signals)
			defer stop()
			return p.rpc(ctx, goOn)
		},
	}
	cmd.Flags().BoolVarP(&goOn, "continue", "c", false, "continue the last conversation")
	return cmd
}

// rpcSession is one run of rpc.
type rpcSession struct {
	*program
	d     *desk
	id    string
	news  *news
	asked map[string]*sayso.Ask // what the program was told of and waits
	told  int                   // entries of the transcript
	works bool
	err   error // of the output
}

// rpcIn is what the program sends.
type rpcIn struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Message   string `json:"message"`
	RequestID string `json:"requestId"`
	Question  int    `json:"question"`

	line []byte // all of it
}

func (p *program) rpc(ctx context.Context, goOn bool) error {
	d, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	s := &rpcSession{program: p, d: d, id: p.conversation, news: &news{bell: make(chan struct{}, 1)}, asked: map[string]*sayso.Ask{}}
	if goOn {
		if s.id, err = p.last(ctx, d); err != nil {
			return err
		}
	}
	if s.id == "" {
		s.id = newID()
	}
	defer d.Subscribe(s.news.put)()
	s.write(rpcOut{Type: "ready", Conversation: s.id})
	if c, err := d.Get(ctx, s.id); err == nil {
		s.told = len(c.Transcript)
		s.questions(ctx, c)
	}
	return s.loop(ctx)
}

// loop takes lines and tells news, one at a time.
func (s *rpcSession) loop(ctx context.Context) error {
	lines := make(chan []byte)
	ended := make(chan error, 1)
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // a read of a stream cannot be stopped; it ends with the process, or with the stream
		in := bufio.NewReaderSize(s.In, 64<<10)
		for {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 {
				select {
				case lines <- line:
				case <-stopped.Done():
					return
				}
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	for s.err == nil {
		select {
		case line := <-lines:
			s.take(ctx, line)
		case <-s.news.bell:
			s.tell(ctx, s.news.take())
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-ended:
			if err != io.EOF {
				return fmt.Errorf("reading: %w", err)
			}
			if _, err := s.d.settle(ctx, s.id); err != nil && !errors.Is(err, agent.ErrNotFound) {
				return console.Interrupted(ctx, err)
			}
			s.tell(ctx, s.news.take())
			return s.err
		}
	}
	return s.err
}

// take does what a line says, and answers it.
func (s *rpcSession) take(ctx context.Context, line []byte) {
	var in rpcIn
	err := sayso.CheckJSON(line)
	if err == nil {
		err = json.Unmarshal(line, &in)
		in.line = line
	}
	out := rpcOut{Type: "response", ID: in.ID, Command: in.Type}
	if err == nil {
		err = s.do(ctx, &in, &out)
	}
	ok := err == nil
	out.Success = &ok
	if err != nil {
		out.Error = err.Error()
	}
	s.write(out)
}

func (s *rpcSession) do(ctx context.Context, in *rpcIn, out *rpcOut) error {
	switch in.Type {
	case "prompt":
		if sayso.Blank(in.Message) {
			return errors.New("message: say something")
		}
		return s.d.send(ctx, s.id, in.Message)
	case "ask_user_response":
		return s.answer(ctx, in)
	case "abort":
		return s.d.Cancel(ctx, s.id, "aborted by the client")
	case "compact":
		return s.d.Compact(ctx, s.id)
	case "branch":
		id, err := s.d.Branch(ctx, s.id, in.Question, newID()[:4])
		if err != nil {
			return err
		}
		c, err := s.d.Get(ctx, id)
		if err != nil {
			return err
		}
		s.id, s.told, s.asked, out.Conversation = id, len(c.Transcript), map[string]*sayso.Ask{}, id
		return nil
	case "get_questions", "get_state":
		c, err := s.d.Get(ctx, s.id)
		if err != nil {
			return err
		}
		if in.Type == "get_questions" {
			out.Asked = s.d.Questions(c)
		}
		return out.stateOf(c)
	}
	return fmt.Errorf("there is no command %q", in.Type)
}

// answer gives an ask what the program says.
func (s *rpcSession) answer(ctx context.Context, in *rpcIn) error {
	a := s.asked[in.RequestID]
	if a == nil {
		return errors.New("requestId: nothing waits under this id")
	}
	o, err := dialect.ReadPiForm(a, in.line)
	if err != nil {
		return err
	}
	if o.Status == sayso.StatusUnanswered {
		return errors.New("answers: none of them says anything")
	}
	winner, err := s.d.relay(ctx, a, o)
	if err == nil && winner != nil {
		return fmt.Errorf("it was %s before, on %s", winner.Status, winner.By.Surface)
	}
	return err
}
