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
		areas = append(areas, struct{ area, stream string }{areaContent, sh.key}, struct{ area, stream string }{areaWake, sh.key})
	}
	if !s.opts.NoAudit {
		// What is closed by now is copied first: else it would be copied afterwards.
		if err := s.bringUpToDate(ctx, sh); err != nil {
			return err
		}
		areas = append(areas, struct{ area, stream string }{areaArchive, sh.archive})
	}
	for _, a := range areas {
		var got answer
		req := map[string]string{"filter": s.names.filter(a.area, sh.ss, q)}
		if err := s.patient(ctx, func() error { return s.call(ctx, "$JS.API.STREAM.PURGE."+a.stream, req, &got) }); err != nil {
			return fmt.Errorf("stream %s: %w", a.stream, err)
		}
	}
	return nil
}
