package surfacetest_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/pendingfile"
)

// TestPendingFile holds the file of pending questions to the table of what texts
// mean: as one text, and as a list.
func TestPendingFile(t *testing.T) {
	read := func(t *testing.T, q *sayso.Question, answer any) (sayso.Answer, error) {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		p, err := pendingfile.New(root, nil).Write(t.Context(), &sayso.Ask{Questions: []sayso.Question{*q}})
		if err != nil {
			t.Fatal(err)
		}
		list, err := json.Marshal([]any{answer})
		if err != nil {
			t.Fatal(err)
		}
		o, err := p.FromList(list)
		if err != nil {
			return sayso.Answer{}, err
		}
		ans, _ := o.Answer(q.ID)
		return ans, nil
	}
	t.Run("text", func(t *testing.T) {
		surfacetest.RunMatch(t, surfacetest.Reader{Read: func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
			return read(t, q, said[0])
		}})
	})
	t.Run("list", func(t *testing.T) {
		surfacetest.RunMatch(t, surfacetest.Reader{Lists: true, Read: func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
			return read(t, q, said)
		}})
	})
}
