package localhub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/securitylog"
)

// Backup is what a backup has, or what was restored from one.
type Backup struct {
	natsstore.BackupReport
	Took time.Duration `json:"took"`
}

// resultPart is the last part of a stream: how it ended.
const resultPart = "result"

// backup streams a backup to the command, which writes it.
func (op *operating) backup(w http.ResponseWriter, r *http.Request) {
	out := parts{multipart.NewWriter(w)}
	w.Header().Set("Content-Type", "multipart/mixed; boundary="+out.Boundary())
	began := time.Now()
	report, err := op.engine.NATS().Backup(r.Context(), out)
	var done *Backup
	if err == nil {
		done = &Backup{*report, time.Since(began)}
		op.security.Note(securitylog.Event{Name: securitylog.BackupTaken})
		if err := op.o.Places.NoteBackup(began); err != nil { // for the metrics only
			op.log.Warn("the time of the backup could not be noted", "error", err.Error())
		}
		op.log.Info("backed up", "shards", report.Shards, "tickets", report.Tickets, "bytes", report.Bytes, "took", done.Took.Round(time.Millisecond).String())
	}
	if last, err2 := out.Create(resultPart); err2 == nil {
		json.NewEncoder(last).Encode(replyOf(done, err))
		out.Close()
	}
}

// Backup has the hub back everything up and writes it into a folder, which must be new or empty. The hub goes on meanwhile.
// A backup that was cut off has no manifest and is refused by Restore.
func (s *Starter) Backup(ctx context.Context, dir string) (*Backup, error) {
	to := natsstore.BackupFolder(dir)
	if err := to.Empty(); err != nil {
		return nil, err
	}
	resp, err := s.operate(ctx, http.MethodGet, "backup", nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	in, err := partsOf(resp.Header.Get("Content-Type"), resp.Body)
	if err != nil {
		var said reply
		if json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&said) == nil && said.Error != "" {
			return nil, &OperatorError{said.Error, said.Hint}
		}
		return nil, err
	}
	for {
		p, err := in.NextPart()
		if err != nil {
			return nil, fmt.Errorf("the hub ended in the middle of the backup: %w", err)
		}
		if p.FileName() == resultPart {
			var said reply
			if err := json.NewDecoder(p).Decode(&said); err != nil {
				return nil, err
			}
			var done Backup
			return &done, said.into(&done)
		}
		f, err := to.Create(p.FileName())
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(f, p)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}
