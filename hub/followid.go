package hub

import (
	"maps"
	"slices"
	"strings"
)

// maxAhead is how much a follower tells ahead of its position. Each is in the id of
// every event, so that it is not told again.
const maxAhead = 64

// id names where the follower is: its position, and what it has told ahead of that,
// as in POSITION_PART.REVISION.
func (f *Follower) id() string {
	if len(f.told)+len(f.skip) == 0 {
		return f.at.String()
	}
	ahead := slices.Collect(maps.Keys(f.skip))
	for _, m := range f.told {
		ahead = append(ahead, m)
	}
	ahead = slices.DeleteFunc(ahead, func(m mark) bool { return m.revision <= f.at.Parts[m.part] })
	slices.SortFunc(ahead, mark.compare)
	id := f.at.append(nil)
	for _, m := range ahead[:min(len(ahead), maxAhead)] {
		id = m.append(append(id, '_'))
	}
	return string(id)
}

// resume reads an id. With one that means nothing, the follower begins anew.
func (f *Follower) resume(id string) {
	words := strings.Split(id, "_")
	at, err := ParsePosition(words[0])
	if err != nil || len(words) > maxAhead+1 {
		return
	}
	skip := map[mark]struct{}{}
	for _, word := range words[1:] {
		m, ok := parseMark(word)
		if !ok {
			return
		}
		skip[m] = struct{}{}
	}
	f.at, f.skip = at, skip
}

// knows reports whether the reader has had the change, or a later one of the ask.
func (f *Follower) knows(r *Record) bool {
	_, had := f.skip[mark{r.Revision, r.Part}]
	return had || f.told[r.Address].revision >= r.Revision
}

// ahead returns, by part, the newest that the reader had before it came back.
func (f *Follower) ahead() map[int]uint64 {
	newest := map[int]uint64{}
	for m := range f.skip {
		newest[m.part] = max(newest[m.part], m.revision)
	}
	return newest
}

// prune forgets what the position covers.
func (f *Follower) prune() {
	maps.DeleteFunc(f.told, func(_ Address, m mark) bool { return m.revision <= f.at.Parts[m.part] })
	maps.DeleteFunc(f.skip, func(m mark, _ struct{}) bool { return m.revision <= f.at.Parts[m.part] })
}
