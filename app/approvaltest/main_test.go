package approvaltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/internal/cli"
)

// roleEnv says as what this test program was started; dirEnv has the folder that all
// processes of a run share.
const (
	roleEnv = "SAYSO_APPROVAL_ROLE"
	dirEnv  = "SAYSO_APPROVAL_DIR"
)

// TestMain makes this test program sayso, an agent or a person, if it was started as
// that.
func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "agent":
		err = playAgent(context.Background())
	case "person":
		err = playPerson(context.Background())
	default:
		os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are what the played processes are told.
type settings struct {
	Seed   uint64
	Calls  int // in all
	Agents int // that share them
}

// note is one line of a journal. It is written before what it says is acted on, with
// one call of the system, so that it is there if the process is killed after it.
type note struct {
	Call   string
	What   what
	Detail string `json:",omitempty"`
}

type what string

const (
	began        what = "began"
	preFailed    what = "pre failed"  // the hook that learns the id was killed
	hookAllows   what = "hook allows" // its reply was read, whole
	hookDenies   what = "hook denies"
	hookSilent   what = "hook silent" // it ended without a decision
	hookFailed   what = "hook failed" // it was killed, most often
	dialogAllows what = "dialog allows"
	dialogDenies what = "dialog denies"
	refused      what = "refused" // nobody decided, and no dialog is there
	ran          what = "ran"
	told         what = "told"     // PostToolUse ended well
	untold       what = "untold"   // it did not
	answers      what = "answers"  // a person is about to
	accepted     what = "accepted" // the hub has it
	ended        what = "ended"
)

// journal is a file of notes.
type journal struct{ f *os.File }

func openJournal(name string) (*journal, error) {
	f, err := os.OpenFile(filepath.Join(os.Getenv(dirEnv), name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &journal{f}, err
}

func (j *journal) write(call string, w what, detail string) error {
	b, err := json.Marshal(note{call, w, detail})
	if err == nil {
		_, err = j.f.Write(append(b, '\n'))
	}
	return err
}

// readJournals returns the notes of all journals whose name has the beginning, in the
// order of each.
func readJournals(dir, prefix string) ([]note, error) {
	names, err := filepath.Glob(filepath.Join(dir, prefix+"*.jsonl"))
	if err != nil {
		return nil, err
	}
	var all []note
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(b)) {
			var n note
			if err := json.Unmarshal([]byte(line), &n); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, n)
		}
	}
	return all, nil
}

func readSettings() (*settings, error) {
	b, err := os.ReadFile(filepath.Join(os.Getenv(dirEnv), "settings.json"))
	if err != nil {
		return nil, err
	}
	s := &settings{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, err
	}
	if s.Agents == 0 {
		return nil, errors.New("no agents")
	}
	return s, nil
}

func callID(i int) string { return fmt.Sprintf("toolu_%05d", i) }
