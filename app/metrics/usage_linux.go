package metrics

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// usage reads /proc, as the names promise: the memory is that of now.
func usage(pid int) (u used, ok bool) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return u, false
	}
	u.cpu = float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return u, false
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return u, false
	}
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	if err != nil {
		return u, false
	}
	u.resident = pages * float64(os.Getpagesize())
	dir, err := os.Open(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return u, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return u, false
	}
	u.files = float64(len(names) - 1) // without the one that reads
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return u, false
	}
	u.maxFiles = float64(limit.Cur)
	return u, true
}
