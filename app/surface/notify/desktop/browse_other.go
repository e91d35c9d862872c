//go:build !unix

package desktop

import "errors"

func browse(string) error { return errors.New("this system has no desktop notifications") }
