package natsstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso/hub"
)

// Erase removes every ticket, draft and copy of a conversation for good, open ones too: close them first, so that whoever
// waits is told. Nobody can read them any more; their bytes stay in the server's files until it rewrites those. Files that
// were exported and backups keep theirs. An audit that goes on stays a chain: a ticket that was
// not exported yet has no line in it.
func (s *Store) Erase(ctx context.Context, tenant, conversation string) error {
	if tenant == "" || conversation == "" {
		return errors.New("natsstore: erase: no tenant or no conversation")
	}
	q := hub.Query{Tenant: tenant, Conversation: conversation}
	for _, sh := range s.shards {
		if err := s.eraseShard(ctx, sh, q); err != nil {
			return fmt.Errorf("natsstore: erase: %w", err)
		}
	}
	if mark, ok := s.opts.Mark.(interface{ Checkpoint() error }); ok {
		return mark.Checkpoint() // nobody is to miss them
	}
	return nil
}

func (s *Store) eraseShard(ctx context.Context, sh *shard, q hub.Query) error {
	areas := []struct{ area, stream string }{{areaAsk, sh.ask}, {areaDraft, sh.draft}, {areaDue, sh.due}}
	if sh.key != "" {
		for _, area := range []string{areaContent, areaWake, areaPerson} {
			areas = append(areas, struct{ area, stream string }{area, sh.key})
		}
	}
	// What is closed by now is copied first, and once more what this Store wrote until it was removed, such as that somebody
	// took an answer: an archiver has its own writes in memory, and would copy them afterwards.
	if err := s.bringUpToDate(ctx, sh); err != nil {
		return err
	}
	for _, a := range areas {
		if err := s.purge(ctx, a.stream, s.names.filter(a.area, sh.ss, q)); err != nil {
			return err
		}
	}
	if err := s.bringUpToDate(ctx, sh); err != nil || s.opts.NoAudit {
		return err
	}
	return s.purge(ctx, sh.archive, s.names.filter(areaArchive, sh.ss, q))
}

func (s *Store) purge(ctx context.Context, stream, filter string) error {
	var got answer
	req := map[string]string{"filter": filter}
	if err := s.patient(ctx, func() error { return s.call(ctx, "$JS.API.STREAM.PURGE."+stream, req, &got) }); err != nil {
		return fmt.Errorf("stream %s: %w", stream, err)
	}
	return nil
}
