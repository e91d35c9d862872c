//go:build !unix

package cli

import "os"

func readerGone(*os.File) bool { return false }

func whenReaderGone(*os.File, func()) (stop func()) { return func() {} }
