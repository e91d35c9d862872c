package natsstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A store that was restored counts on from the end of the backup, and gives revisions that were given already in the time
// that was lost. So that an audit can tell them apart, the stream of tickets carries its lineage in its metadata: a word
// "id@last" for every time it was restored, where last is the last revision that is still the same.

// restored returns the configuration of a stream of a backup with one word more in its lineage.
func restored(st *backupStream) (json.RawMessage, error) {
	var config map[string]json.RawMessage
	var state struct {
		Last uint64 `json:"last_seq"`
	}
	meta := map[string]string{}
	if err := json.Unmarshal(st.Config, &config); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(st.State, &state); err != nil {
		return nil, err
	}
	if len(config["metadata"]) > 0 {
		if err := json.Unmarshal(config["metadata"], &meta); err != nil {
			return nil, err
		}
	}
	if meta[metaMoved] != "" {
		return st.Config, nil // what is left of layout 1 is not written any more
	}
	var id [9]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	word := fmt.Sprintf("%s@%d", base64.RawURLEncoding.EncodeToString(id[:]), state.Last)
	meta[metaLineage] = strings.TrimSpace(meta[metaLineage] + " " + word)
	var err error
	if config["metadata"], err = json.Marshal(meta); err != nil {
		return nil, err
	}
	return json.Marshal(config)
}

// lineage returns the lineage of a shard, empty if it was never restored.
func (s *Store) lineage(ctx context.Context, sh *shard) (string, error) {
	return s.lineageOf(ctx, sh.ask)
}

func (s *Store) lineageOf(ctx context.Context, stream string) (string, error) {
	info, err := s.info(ctx, stream)
	return info.Config.Metadata[metaLineage], err
}

// identify gives the store a short name, by which it knows the positions that it gave out. It is another when a stream was
// made anew or restored.
func (s *Store) identify(ctx context.Context) error {
	words := make([]string, len(s.shards))
	if err := each(len(words), func(i int) error {
		sh := s.shards[i]
		info, err := s.info(ctx, sh.ask)
		if err == nil {
			sh.know(areaAsk, info.State.Last)
			words[i] = info.Created.UTC().Format(time.RFC3339Nano) + " " + info.Config.Metadata[metaLineage]
		}
		return err
	}); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	s.name = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
	return nil
}

// named is the name of the store in the positions of one kind.
func (s *Store) named(area string) string { return s.name + area[:1] }

// common returns the last revision, up to last, that stands for the same in two lineages.
func common(a, b string, last uint64) (uint64, error) {
	as, bs := strings.Fields(a), strings.Fields(b)
	for len(as) > 0 && len(bs) > 0 && as[0] == bs[0] {
		as, bs = as[1:], bs[1:]
	}
	for _, word := range append(as, bs...) {
		_, text, _ := strings.Cut(word, "@")
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("lineage: %w", err)
		}
		last = min(last, n)
	}
	return last, nil
}
