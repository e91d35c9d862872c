package natsstore

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
	var info struct {
		answer
		Config struct {
			Metadata map[string]string `json:"metadata"`
		} `json:"config"`
	}
	if err := s.call(ctx, "$JS.API.STREAM.INFO."+sh.ask, struct{}{}, &info); err != nil {
		return "", fmt.Errorf("look at stream %s: %w", sh.ask, err)
	}
	return info.Config.Metadata[metaLineage], nil
}

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
