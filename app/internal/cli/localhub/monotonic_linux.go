package localhub

import (
	"time"

	"golang.org/x/sys/unix"
)

// monotonic is the system's clock that never goes back, as systemd reads it.
func monotonic() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
