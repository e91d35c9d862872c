package localhub

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// auditEvery is how often a tail that follows looks for what was closed.
const auditEvery = time.Second

// auditRecord is one line of the stream of closed questions: one of them, or the end.
type auditRecord struct {
	Entry json.RawMessage `json:"entry,omitempty"`
	End   *reply          `json:"end,omitempty"`
}

// audit streams the closed questions behind the ends that the command has.
func (op *operating) audit(w http.ResponseWriter, r *http.Request) {
	ends := natsstore.AuditEnds{}
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&ends); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out := &auditStream{w: w}
	err := op.engine.NATS().AuditAfter(r.Context(), ends, out.entry)
	out.end(err)
}

// tail streams the last closed questions, and those to come if the command follows.
func (op *operating) tail(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("lines"))
	follow := r.URL.Query().Get("follow") != ""
	out := &auditStream{w: w}
	ends, err := op.engine.NATS().AuditTail(r.Context(), n)
	for err == nil {
		if err = op.engine.NATS().AuditAfter(r.Context(), ends, out.entry); err != nil || !follow {
			break
		}
		http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-op.ends:
			err = errors.New("the hub ends")
		case <-time.After(auditEvery):
		}
	}
	out.end(err)
}

type auditStream struct{ w io.Writer }

func (s *auditStream) entry(e *natsstore.AuditEntry) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the record stays byte for byte
	if err := enc.Encode(e); err != nil {
		return err
	}
	return s.write(auditRecord{Entry: b.Bytes()})
}

func (s *auditStream) end(err error) {
	said := replyOf(struct{}{}, err)
	s.write(auditRecord{End: &said})
}

func (s *auditStream) write(r auditRecord) error {
	enc := json.NewEncoder(s.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// audited reads such a stream.
func audited(body io.Reader, each func(json.RawMessage) error) error {
	in := bufio.NewReaderSize(body, 1<<16)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the hub ended in the middle: %w", err)
		}
		var r auditRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("reading what the hub says: %w", err)
		}
		if r.End != nil {
			return r.End.into(&struct{}{})
		}
		if err := each(r.Entry); err != nil {
			return err
		}
	}
}

// ExportAudit appends every closed question that the audit in the folder does not have, and returns how many those are and
// the ends of the audit, which are worth keeping elsewhere.
func (s *Starter) ExportAudit(ctx context.Context, dir string) (added int, heads []natsstore.AuditHead, err error) {
	out, err := natsstore.OpenAudit(dir)
	if err != nil {
		return 0, nil, err
	}
	ends, err := json.Marshal(out.Ends())
	if err != nil {
		return 0, nil, err
	}
	resp, err := s.operate(ctx, http.MethodPost, "audit", bytes.NewReader(ends))
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	err = audited(resp.Body, func(text json.RawMessage) error {
		var e natsstore.AuditEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return err
		}
		return out.Add(&e)
	})
	at := out.Ends()
	heads, closing := out.Close()
	if err = errors.Join(err, closing); err == nil {
		_ = s.Places.NoteAudit(at) // for the metrics only
	}
	return out.Added(), heads, err
}

// TailAudit gives the last closed questions, about n of each shard, and those to come if follow is set, as JSON.
func (s *Starter) TailAudit(ctx context.Context, n int, follow bool, each func(json.RawMessage) error) error {
	path := "audit/tail?lines=" + strconv.Itoa(n)
	if follow {
		path += "&follow=1"
	}
	resp, err := s.operate(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return audited(resp.Body, each)
}
