package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// clocksApart is how far the clocks of two machines may differ. Synchronized ones differ
// by much less, and a hub says the time in seconds.
const clocksApart = 10 * time.Second

// lookAtClock compares the clock of this machine with that of a hub elsewhere.
func (p *program) lookAtClock(ctx context.Context, at string) (_ finding, known bool) {
	if !strings.Contains(at, "://") { // a socket is on this machine
		return finding{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, strings.TrimSuffix(at, "/")+"/healthz", nil)
	if err != nil {
		return finding{}, false
	}
	sent := p.now()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return finding{}, false // the health says so
	}
	resp.Body.Close()
	received := p.now()
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return finding{}, false
	}
	return clockFinding(date, sent, received), true
}

// clockFinding says how far a hub's clock is from ours. What the request took is not
// counted as a difference.
func clockFinding(date, sent, received time.Time) finding {
	f := finding{"clock", "as that of the hub", true, ""}
	var by time.Duration
	switch {
	case date.After(received):
		by = date.Sub(received.Round(0))
	case date.Before(sent):
		by = date.Sub(sent.Round(0))
	}
	if by.Abs() <= clocksApart {
		return f
	}
	where := "ahead of"
	if by < 0 {
		where = "behind"
	}
	f.Value, f.OK = fmt.Sprintf("the clock of the hub is %s %s that of this machine", by.Abs().Round(time.Second), where), false
	f.Fix = "set the clock that is wrong and keep it synchronized with NTP; check both with: timedatectl"
	return f
}

func (p *program) now() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}
