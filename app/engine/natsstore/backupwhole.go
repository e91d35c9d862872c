package natsstore

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats-server/v2/server/archive"
)

// The server's snapshot of a stream walks through the sequences that the stream had when the snapshot began. A record that is
// replaced before the walk reaches it is not in the snapshot: its place is empty, and the new one is behind the end. So a
// backup lists the subjects first, and adds the records of those that the snapshot missed. They keep their sequences.

// kept returns the subjects of which a stream keeps the last message. An archive keeps all: nothing in it is replaced.
func (s *Store) kept(ctx context.Context, stream string) (map[string]bool, error) {
	all := map[string]bool{}
	if s.names.area(stream) == areaArchive {
		return all, nil
	}
	for {
		var got struct {
			answer
			Total int `json:"total"`
			State struct {
				Subjects map[string]uint64 `json:"subjects"`
			} `json:"state"`
		}
		req := struct {
			Filter string `json:"subjects_filter"`
			Offset int    `json:"offset"`
		}{">", len(all)}
		if err := s.patient(ctx, func() error { return s.call(ctx, "$JS.API.STREAM.INFO."+stream, req, &got) }); err != nil {
			return nil, err
		}
		before := len(all)
		for subject := range got.State.Subjects {
			all[subject] = true
		}
		if len(all) >= got.Total || len(all) == before {
			return all, nil
		}
	}
}

// addMissed copies a snapshot, and adds the last messages of those subjects that are not in it. A server before 2.15 sends
// its files instead of the messages: they are copied as they are.
func (s *Store) addMissed(ctx context.Context, stream string, want map[string]bool, from io.Reader, to io.Writer) (err error) {
	out := s2.NewWriter(to)
	defer func() { err = errors.Join(err, out.Close()) }()
	in := bufio.NewReader(s2.NewReader(from))
	if magic, err := in.Peek(len(archive.MagicBytes)); err != nil || string(magic) != archive.MagicBytes {
		_, err = io.Copy(out, in)
		return err
	}
	r, w := archive.NewReader(in), archive.NewWriter(out)
	last := uint64(0)
	for {
		h, err := r.Next()
		if err != nil {
			return fmt.Errorf("the server's snapshot: %w", err)
		}
		if h.Name == "" && h.Sequence == 0 { // the end
			if err := s.writeMissed(ctx, stream, want, last, w); err != nil {
				return err
			}
			if err := w.WriteHeader(h); err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, in)
			return err
		}
		if h.Sequence > 0 {
			delete(want, h.Name)
			last = h.Sequence
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			return err
		}
	}
}

// writeMissed writes the last messages of subjects behind those of a snapshot, which ends with a sequence.
func (s *Store) writeMissed(ctx context.Context, stream string, subjects map[string]bool, after uint64, w *archive.Writer) error {
	var all []message
	for subject := range subjects {
		var m message
		err := s.patient(ctx, func() (err error) { m, err = s.lastMessage(ctx, stream, subject); return err })
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", subject, err)
		case m.Seq == 0: // it was removed
		case m.Seq <= after:
			return fmt.Errorf("the server's snapshot ends with %d and has not %s, which is %d", after, subject, m.Seq)
		default:
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b message) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, m := range all {
		h := &archive.Header{
			Name: m.Subject, Timestamp: m.Time.UnixNano(), Sequence: m.Seq,
			HeaderSize: int64(len(m.Header)), PayloadSize: int64(len(m.Data)),
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(slices.Concat(m.Header, m.Data)); err != nil {
			return err
		}
	}
	return nil
}
