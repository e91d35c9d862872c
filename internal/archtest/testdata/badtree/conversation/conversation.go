// Package conversation should be pure.
package conversation

import (
	"crypto/rand"
	"io"
	dice "math/rand/v2"
	"os"
	clock "time"
)

var now = clock.Now

var random = rand.Reader

var started = clock.Now() // want pure

func init() { // want init
	_ = clock.Since(started) // want pure
	_ = os.Getenv("HOME")    // want pure
	_, _ = rand.Read(nil)    // want pure
	_ = dice.Int()           // want pure

	_, _ = io.ReadFull(rand.Reader, nil) // want pure
	_, _ = rand.Reader.Read(nil)         // want pure
}

type quartz struct{}

func (quartz) Now() int { return 0 }

func (quartz) init() {}

func shadow() int {
	clock := quartz{}
	return clock.Now()
}
