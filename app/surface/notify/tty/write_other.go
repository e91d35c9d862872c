//go:build !unix

package tty

import (
	"errors"
	"time"
)

func writeTo(string, string, time.Time) error {
	return errors.New("this system has no terminals that another program can write to")
}
