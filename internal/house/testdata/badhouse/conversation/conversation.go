// Package conversation should be pure.
package conversation

import (
	"crypto/rand" // want pure
	"os"
	clock "time"
)

var now = clock.Now

var started = clock.Now() // want pure

func init() { // want init
	_ = clock.Since(started) // want pure
	_ = os.Getenv("HOME")    // want pure
	_, _ = rand.Read(nil)
}

type quartz struct{}

func (quartz) Now() int { return 0 }

func (quartz) init() {}

func shadow() int {
	clock := quartz{}
	return clock.Now()
}
