package natsstore

import (
	"context"
	"errors"

	"github.com/saysohq/sayso/hub"
)

// reader reads one shard for a list: the last messages of all its subjects at once, or, where they are too many, message by
// message.
//
// Any replica may answer, also one that lags. An answer of the first kind says how far the replica is, as long as there is
// something to answer, and a fence is. For the second, the leader is asked at the end whether there is something newer.
type reader struct {
	*Store
	leg    *leg
	sh     *shard
	area   string
	q      hub.Query
	filter string
}

// read returns the next n records that match, or fewer if they take more than so many bytes, with those in between.
func (r *reader) read(ctx context.Context, n, bytes int) (all []item, err error) {
	l := r.leg
	if l.after && r.opts.Replicas == 1 {
		l.walk = true // it does not look at what lies before
	}
	for batch := n; n > 0 && bytes > 0 && !l.done; batch = min(2*batch, maxBatch) { // more, as many were passed over
		var some []item
		err := r.patient(ctx, func() (err error) {
			some, err = r.once(ctx, min(batch, maxBatch), min(bytes, batchBytes))
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, it := range some {
			if bytes -= it.size; it.match {
				n--
			}
		}
		all = append(all, some...)
	}
	return all, nil
}

// once is one request, after which the leg has moved on.
func (r *reader) once(ctx context.Context, batch, bytes int) (some []item, err error) {
	l, stream := r.leg, r.sh.stream(r.area)
	sc := scan{stream: stream, filters: []string{r.filter}, from: l.from, more: true, walk: l.walk, bytes: bytes}
	fenced := r.fenced(r.area) && !l.walk
	if fenced {
		sc.filters = append(sc.filters, r.names.fence(r.sh.ss))
		batch = min(batch+1, maxBatch)
	}
	var bad error
	err = r.directGet(ctx, &sc, batch, func(f found) bool {
		if first(f.header, headState) == fenceToken {
			return true
		}
		rec, ok, err := r.record(f.subject, f.header, f.data, f.seq)
		bad = errors.Join(bad, err)
		some = append(some, item{f.seq, len(f.data), ok && r.q.Match(rec), rec})
		return true
	})
	var api *apiError
	if errors.As(err, &api) && api.Code == 413 && !l.walk {
		return r.tooMany(ctx, batch, bytes)
	}
	if err = errors.Join(err, bad); err != nil {
		return nil, err
	}
	switch {
	case fenced && sc.upTo < l.known:
		if sc.upTo == 0 { // it has not even a fence
			_, err = r.passFence(ctx, r.sh)
		}
		return nil, errors.Join(errBehind, err)
	case r.opts.Replicas > 1 && !fenced && !sc.more:
		state, err := r.state(ctx, stream)
		if err != nil {
			return nil, err
		}
		newest, err := r.newestOf(ctx, stream, r.filter)
		if err != nil {
			return nil, err
		}
		if state.Last < l.covers || newest >= max(sc.from, 1) { // the one who says that it leads is behind, or who answered
			return nil, errBehind
		}
	}
	if r.q.Cursor == "" && !l.walk && l.covers < sc.upTo && l.from <= 1 {
		l.covers = sc.upTo
		r.sh.know(r.area, sc.upTo)
	}
	l.from, l.done = sc.from, !sc.more
	return some, nil
}

// tooMany goes on message by message. What is there when it begins, the list will have.
func (r *reader) tooMany(ctx context.Context, batch, bytes int) ([]item, error) {
	l := r.leg
	state, err := r.state(ctx, r.sh.stream(r.area))
	if err != nil {
		return nil, err
	}
	if state.Last < l.known {
		return nil, errBehind
	}
	l.walk = true
	if l.from <= 1 {
		l.covers = state.Last
		r.sh.know(r.area, state.Last)
	}
	return r.once(ctx, batch, bytes)
}
