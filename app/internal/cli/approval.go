package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// wholeDigest names an approval with everything that is stored beside it. Only who has
// read all of it knows it: "sayso show" prints it below what it shows.
func wholeDigest(t *hub.Ticket, whole *sayso.Ask) string {
	sum := sha256.Sum256([]byte(t.Digest + "\n" + whole.Questions[0].Body))
	return hex.EncodeToString(sum[:])
}

// opened is a ticket as "sayso show" shows it: with what is stored beside the ask, and
// the digest that says so. The size is that of what is stored.
func opened(ctx context.Context, c *client.Client, t *hub.Ticket) (*hub.Ticket, int, error) {
	if t.Ask.Approval == nil {
		return t, 0, nil
	}
	_, size := t.Ask.Approval.Unseen()
	if size == 0 {
		return t, 0, nil
	}
	whole, _, err := hub.Whole(ctx, c, t)
	if err != nil {
		return t, size, err
	}
	all := *t
	all.Ask, all.Digest = whole, wholeDigest(t, whole)
	return &all, size, nil
}

// approvalLines are everything that an approval shows.
func approvalLines(a *sayso.Ask) []string { return questionLines(a) }

// permission says what an approval is about, or "".
func permission(a *sayso.Ask) string {
	if a.Approval == nil {
		return ""
	}
	return "permission: " + string(a.Approval.Kind)
}

// inBytes spells a size.
func inBytes(n int) string {
	if n < 1000 {
		return strconv.Itoa(n) + " bytes"
	}
	return strconv.Itoa((n+500)/1000) + " KB"
}

// decision makes an outcome of what the command line says to an approval, nil if it
// says nothing.
func (p *program) decision(ctx context.Context, c *client.Client, t *hub.Ticket, g *given) (*sayso.Outcome, error) {
	if len(g.words) == 0 && g.list == "" && g.reply == "" && !g.unseen && g.message == "" && g.input == "" && !g.edit {
		return nil, nil
	}
	ans, err := g.verdict(t.Ask)
	if err != nil {
		return nil, err
	}
	switch {
	case g.input != "":
		ans.Input, err = p.readInput(g.input)
	case g.edit:
		ans.Input, err = p.editInput(ctx, t.Ask)
	}
	if err != nil {
		return nil, err
	}
	if err := g.open(ctx, c, t, &ans); err != nil {
		return nil, err
	}
	o := (&sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}}).Settled()
	if err := saysSomething(o); err != nil {
		return nil, err
	}
	if err := t.Ask.Check(o); err != nil {
		return nil, console.Usage("your answer was not sent: %s", sayso.RenderError(err)).Next("The choices: sayso show %s.", t.Ask.ID)
	}
	return o, g.dangerous(t.Ask, o)
}

// verdict reads the choice and the message.
func (g *given) verdict(a *sayso.Ask) (sayso.Answer, error) {
	q := &a.Questions[0]
	ans := sayso.Answer{QuestionID: q.ID, Note: g.message, Other: g.reply}
	if g.unseen {
		if q.Option(sayso.OfferUnseen) == nil {
			return ans, console.Usage("nothing is unseen: all of %q is in \"sayso show\"", a.ID).Next("Choose without --unseen: sayso answer %s allow.", a.ID)
		}
		if len(g.words) > 1 || len(g.words) == 1 && !strings.EqualFold(g.words[0], "allow") {
			return ans, console.Usage("--unseen allows it, and %q says something else", strings.Join(g.words, " ")).Next("Use one of them: sayso answer %s --unseen.", a.ID)
		}
		ans.Selected, g.yes = []string{sayso.OfferUnseen}, true
		return ans, nil
	}
	texts, err := g.texts(a)
	if err != nil || len(texts) == 0 {
		return ans, err
	}
	said, err := q.Match(texts[0], &sayso.MatchOptions{Numbers: true})
	if err != nil {
		return ans, console.Usage("%s", sayso.RenderError(err))
	}
	if len(said.Selected) == 0 && len(texts[0]) == 1 {
		if offer, err := verb(a, texts[0][0]); err != nil {
			return ans, err
		} else if offer != "" {
			said = sayso.Answer{Selected: []string{offer}}
		}
	}
	ans.Selected = said.Selected
	if said.Other != "" {
		ans.Other = said.Other
	}
	return ans, nil
}

// verb returns the offer that a word stands for whatever the agent calls it: allow,
// always, session, deny or stop. It returns "" for any other text, which denies.
func verb(a *sayso.Ask, word string) (string, error) {
	var found []string
	for _, o := range a.Approval.Offers {
		scope := o.Scope
		if scope == "" {
			scope = sayso.ScopeOnce
		}
		is := false
		switch strings.ToLower(strings.TrimSpace(word)) {
		case "allow":
			is = o.Act == sayso.ActAllow && scope == sayso.ScopeOnce && o.Mode == ""
		case "always":
			is = o.Act == sayso.ActAllow && scope == sayso.ScopeAlways
		case "session":
			is = o.Act == sayso.ActAllow && scope == sayso.ScopeSession
		case "deny":
			is = o.Act == sayso.ActDeny && !o.Stops
		case "stop":
			is = o.Act == sayso.ActDeny && o.Stops
		default:
			return "", nil
		}
		if is {
			found = append(found, o.ID)
		}
	}
	if len(found) != 1 {
		return "", console.Usage("your answer was not sent: %q stands for %s here", word, plural(len(found), "choice", "choices")).
			Next("Give the number of a choice: sayso show %s.", a.ID)
	}
	return found[0], nil
}

// open says that what is stored beside the ask was shown, if the digest says so. It
// refuses to allow it otherwise.
func (g *given) open(ctx context.Context, c *client.Client, t *hub.Ticket, ans *sayso.Answer) error {
	hashes, size := t.Ask.Approval.Unseen()
	if size == 0 {
		return nil
	}
	all, _, err := opened(ctx, c, t)
	shown := err == nil && g.digest == all.Digest
	if shown {
		g.digest = t.Digest
	}
	if len(ans.Selected) != 1 {
		return nil
	}
	offer := t.Ask.Approval.Offer(ans.Selected[0])
	switch {
	case offer == nil || offer.Act != sayso.ActAllow:
	case shown:
		ans.Opened = hashes
	case err != nil:
		return console.Fault("your answer was not sent: %s of what will run could not be loaded: %s", inBytes(size), sayso.RenderError(err)).
			Next("Deny it, or try again: sayso show %s.", t.Ask.ID)
	default:
		return console.Usage("your answer was not sent: you have not been shown %s of what will run", inBytes(size)).
			Next("Look at it, and give the digest at its end: sayso show %s. Or allow it unseen: sayso answer %s --unseen.", t.Ask.ID, t.Ask.ID)
	}
	return nil
}

// readInput reads the input as the person changed it, from a file or, for "-", from
// standard input.
func (p *program) readInput(name string) (string, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = io.ReadAll(io.LimitReader(p.In, sayso.MaxContent))
	} else {
		data, err = os.ReadFile(p.inDir(name))
	}
	if err != nil {
		return "", console.Fault("cannot read --input %q: %s", name, reason(err)).Next("Give a file with the changed input as JSON, or - for standard input.")
	}
	if err := sayso.CheckJSON(data); err != nil {
		return "", console.Usage("--input %q is not JSON: %w", name, err).Next("The input as the agent sent it: sayso show ID --json.")
	}
	return string(data), nil
}

// inDir is where a file is that the person names.
func (p *program) inDir(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// storedNote says how much stands beside the ask, and whether all of it is shown.
func storedNote(t *hub.Ticket, size int, err error) string {
	switch {
	case size == 0:
		return ""
	case err != nil && !t.Open():
		return fmt.Sprintf("Stored beside the question: %s, which could not be loaded: %s", inBytes(size), sayso.RenderError(err))
	case err != nil:
		return fmt.Sprintf("Stored beside the question: %s, which could not be loaded: %s. You can deny it.", inBytes(size), sayso.RenderError(err))
	}
	return fmt.Sprintf("Stored beside the question: %s, all of it below.", inBytes(size))
}
