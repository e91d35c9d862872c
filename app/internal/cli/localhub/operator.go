package localhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"sync/atomic"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
)

// The operator's commands talk to the hub over the owner's socket, so that they work the same in every shape, in a container
// and under a unit that may write nowhere: files go through the socket, and the command reads or writes them.

// operating serves those commands.
type operating struct {
	o         *ServeOptions
	peers     *auth.Peers
	engine    *Engine
	use       *use
	security  *securitylog.Log
	log       *slog.Logger
	notifying *notifying

	restoring atomic.Bool
	reopen    func()          // the hub opens its store anew
	ends      <-chan struct{} // closed when the hub is about to end
}

// operatorPath is what the paths of the commands begin with.
const operatorPath = controlPath + "/"

// beside serves the owner's commands, and lets everybody else through.
func (op *operating) beside(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+operatorPath+"backup", op.backup)
	mux.HandleFunc("POST "+operatorPath+"restore", op.restore)
	mux.HandleFunc("POST "+operatorPath+"audit", op.audit)
	mux.HandleFunc("GET "+operatorPath+"audit/tail", op.tail)
	mux.HandleFunc("POST "+operatorPath+"erase", op.erase)
	mux.HandleFunc("GET "+operatorPath+"cluster", op.cluster)
	mux.HandleFunc("DELETE "+operatorPath+"cluster/{node}", op.removeNode)
	mux.HandleFunc("GET "+operatorPath+"wake", op.wakeLog)
	op.notifying.register(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, operatorPath) {
			next.ServeHTTP(w, r)
			return
		}
		if _, err := op.peers.Authenticate(r); err != nil {
			next.ServeHTTP(w, r)
			return
		}
		op.use.add(1)
		defer op.use.add(-1)
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// reply is the end of what a hub says to a command.
type reply struct {
	Error  string          `json:"error,omitempty"`
	Hint   string          `json:"hint,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

func replyOf(result any, err error) reply {
	if err == nil {
		var b []byte
		if b, err = json.Marshal(result); err == nil {
			return reply{Result: b}
		}
	}
	said := reply{Error: strings.TrimPrefix(err.Error(), "natsstore: ")}
	var hinted interface{ Next() string }
	if errors.As(err, &hinted) {
		said.Hint = hinted.Next()
	}
	return said
}

func answerWith(w http.ResponseWriter, result any, err error) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(replyOf(result, err))
}

// into reads the result.
func (r *reply) into(result any) error {
	if r.Error != "" {
		return &OperatorError{r.Error, r.Hint}
	}
	return json.Unmarshal(r.Result, result)
}

// OperatorError is why the hub did not do what a command asked for.
type OperatorError struct{ Text, Hint string }

func (e *OperatorError) Error() string { return e.Text }

// Next is what can be done about it.
func (e *OperatorError) Next() string { return e.Hint }

// operate sends a request of a command to the hub, which must run.
func (s *Starter) operate(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	return s.operateTyped(ctx, method, path, "application/json", body)
}

func (s *Starter) operateTyped(ctx context.Context, method, path, contentType string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+operatorPath+path, body)
	if err != nil {
		return nil, err
	}
	c, err := s.own(ctx)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	resp, err := c.Do(r)
	if err != nil {
		return nil, fmt.Errorf("asking the hub: %w", err)
	}
	if err = refusal(resp.StatusCode); err == nil && resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		err = fmt.Errorf("asking the hub: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// parts are the files of a stream in which each has a name.
type parts struct{ *multipart.Writer }

// Create begins the next file. The one before is whole.
func (p parts) Create(name string) (io.WriteCloser, error) {
	w, err := p.CreatePart(textproto.MIMEHeader{"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})}})
	return part{w}, err
}

type part struct{ io.Writer }

func (part) Close() error { return nil }

// partsOf reads such a stream.
func partsOf(contentType string, body io.Reader) (*multipart.Reader, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/mixed" {
		return nil, fmt.Errorf("%q is not a stream of files", contentType)
	}
	return multipart.NewReader(body, params["boundary"]), nil
}

// nextFile opens the next file of a stream, which has to have that name.
type nextFile struct{ *multipart.Reader }

// Open returns the next file.
func (n nextFile) Open(name string) (io.ReadCloser, error) {
	p, err := n.NextPart()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if got := p.FileName(); got != name {
		return nil, fmt.Errorf("the next file is %s and not %s", got, name)
	}
	return p, nil
}
