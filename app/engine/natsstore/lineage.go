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

// restored returns the configuration of a stream of a backup with one word more in its lineage, and with other replicas unless
// they are zero.
func restored(st *backupStream, replicas int) (json.RawMessage, error) {
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
	if replicas > 0 {
		config["num_replicas"] = json.RawMessage(strconv.Itoa(replicas))
	}
	if meta[metaMoved] != "" {
		return json.Marshal(config) // what is left of layout 1 is not written any more
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
			words[i] = info.word()
		}
		return err
	}); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	s.firstWord = words[0]
	s.name = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))
	return nil
}

// word tells a stream from one that took its place.
func (i *streamInfo) word() string {
	return i.Created.UTC().Format(time.RFC3339Nano) + " " + i.Config.Metadata[metaLineage]
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

// lookForOther is how often a store is looked at whether it is still the one that was opened.
const lookForOther = 2 * time.Second

// AwaitOther returns nil once another store is in the place of the one that was opened: a backup was restored there. This
// Store knows nothing of it and has to be opened anew.
func (s *Store) AwaitOther(ctx context.Context) error {
	for {
		if err := pause(ctx, lookForOther); err != nil {
			return err
		}
		info, err := s.info(ctx, s.shards[0].ask)
		if err == nil && info.word() != s.firstWord { // while there is none, it is being made
			return nil
		}
	}
}
