package httpapi

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// Several servers may serve one store. Each tells the others what every holder uses
// of it, about once a second, and counts what they tell as if it were its own. So a
// quota holds for all of them together, but for what happens in that second.

// load is what a holder uses of one server.
type load struct {
	streams, waits, sessions uint64 // at the moment
	changes, reads           uint64 // since it was last idle
}

// quiet is how long a holder has to be idle until its load is told no more.
const quiet = 10 * time.Second

// maxUsage is how much is told at most: of more than 15,000 holders.
const maxUsage = hub.MaxData - 1024

const usageVersion = 1

// hashOf names a holder to other servers, briefly.
func hashOf(who string) uint64 {
	sum := sha256.Sum256([]byte(who))
	return binary.BigEndian.Uint64(sum[:])
}

func (h holder) hash() uint64 { return hashOf(h.tenant + "\x00" + h.id + "\x00" + h.role.String()) }

// Usage returns what the holders of credentials use of this server, for
// [Server.UsedElsewhere] of another one over the same store.
func (s *Server) Usage() []byte {
	var sessions map[string]int
	if count := s.sessionsHere.Load(); count != nil {
		sessions = (*count)()
	}
	return s.limits.tell(sessions)
}

// UsedElsewhere takes over what another server told of itself; nil if it has ended.
// What cannot be read counts as nothing.
func (s *Server) UsedElsewhere(id string, data []byte) { s.limits.hear(id, data) }

// CountSessions has the sessions of agents counted and told to other servers, by
// tenant, subject and role with a zero byte in between.
func (s *Server) CountSessions(sessions func() map[string]int) { s.sessionsHere.Store(&sessions) }

// SessionsElsewhere returns how many sessions of agents the holder has at other
// servers over the same store.
func (s *Server) SessionsElsewhere(who *auth.Principal) int {
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	return int(s.limits.of(who).elsewhere.sessions)
}

// spent counts what a holder did here, for the others to know.
func (l *limits) spent(u *usage, changes, reads int) {
	if l.changed == nil {
		return
	}
	l.mu.Lock()
	u.here.changes += uint64(max(changes, 0))
	u.here.reads += uint64(max(reads, 0))
	u.active = l.now()
	l.mu.Unlock()
	l.changed()
}

func (l *limits) tell(sessions map[string]int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	counted := make(map[uint64]uint64, len(sessions))
	for who, n := range sessions {
		counted[hashOf(who)] = uint64(n)
		l.hashed(hashOf(who))
	}
	now := l.now()
	data := []byte{usageVersion}
	for _, h := range slices.Sorted(maps.Keys(l.byHash)) {
		u := l.byHash[h]
		e := u.here
		e.streams, e.waits, e.sessions = uint64(u.streams), uint64(u.waits), counted[h]
		if e.streams+e.waits+e.sessions == 0 && now.Sub(u.active) > quiet {
			u.here = load{}
			continue
		}
		if len(data) > maxUsage {
			break
		}
		data = binary.BigEndian.AppendUint64(data, h)
		for _, n := range []uint64{e.streams, e.waits, e.sessions, e.changes, e.reads} {
			data = binary.AppendUvarint(data, n)
		}
	}
	return data
}

func parseUsage(data []byte) map[uint64]load {
	all := map[uint64]load{}
	if len(data) == 0 || data[0] != usageVersion {
		return all
	}
	for data = data[1:]; len(data) >= 8; {
		h := binary.BigEndian.Uint64(data)
		data = data[8:]
		var e load
		for _, n := range []*uint64{&e.streams, &e.waits, &e.sessions, &e.changes, &e.reads} {
			v, size := binary.Uvarint(data)
			if size <= 0 {
				return all
			}
			*n, data = v, data[size:]
		}
		all[h] = e
	}
	return all
}

func (l *limits) hear(id string, data []byte) {
	now := parseUsage(data)
	l.mu.Lock()
	defer l.mu.Unlock()
	was, known := l.others[id]
	for h, e := range was {
		u := l.hashed(h)
		u.elsewhere.streams -= e.streams
		u.elsewhere.waits -= e.waits
		u.elsewhere.sessions -= e.sessions
	}
	if data == nil {
		delete(l.others, id)
		return
	}
	for h, e := range now {
		u := l.hashed(h)
		u.elsewhere.streams += e.streams
		u.elsewhere.waits += e.waits
		u.elsewhere.sessions += e.sessions
		if known { // before, nobody knows since when it counts
			l.owe(u, more(was[h].changes, e.changes), more(was[h].reads, e.reads))
		}
	}
	l.others[id] = now
}

// more returns what was added to a number that may have begun anew.
func more(was, now uint64) uint64 {
	if now < was {
		return now
	}
	return now - was
}

// owe counts what was spent elsewhere. It may be more than is left: then nothing is
// allowed here until the rest has come back.
func (l *limits) owe(u *usage, changes, reads uint64) {
	now, bounds := l.now(), l.bounds()
	if bounds.Rate < math.MaxFloat64 {
		for changes > 0 {
			n := min(changes, uint64(bounds.Burst))
			u.rate.ReserveN(now, int(n))
			changes -= n
		}
	}
	if bounds.Reads < math.MaxInt64 && reads > 0 {
		u.budget.take(now, float64(bounds.Reads), float64(reads))
	}
}
