//go:build !linux

package localhub

import "time"

// monotonic is only needed where there is systemd.
func monotonic() time.Duration { return 0 }
