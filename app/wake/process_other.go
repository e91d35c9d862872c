//go:build !linux

package wake

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// ProcessOf returns the process with this number: the number, and when it was started.
func ProcessOf(pid int) Process {
	started, _ := ps(pid, "lstart=")
	if started == "" {
		return ""
	}
	return Process(strconv.Itoa(pid) + "/" + started)
}

// Number returns the number of the process, "" if it is not known.
func (p Process) Number() string {
	number, _, _ := strings.Cut(string(p), "/")
	return number
}

// Life says whether the process runs.
func (p Process) Life() Life {
	number, started, ok := strings.Cut(string(p), "/")
	pid, err := strconv.Atoi(number)
	if !ok || err != nil || pid <= 0 {
		return Unknown
	}
	now, err := ps(pid, "lstart=")
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return Gone // ps found none
	case err != nil:
		return Unknown
	case now != started:
		return Gone
	}
	if state, _ := ps(pid, "stat="); strings.HasPrefix(state, "Z") {
		return Gone
	}
	return Running
}

// look returns the parent and the name of a process.
func look(pid int) (parent int, name string, ok bool) {
	said, err := ps(pid, "ppid=")
	if err != nil {
		return 0, "", false
	}
	if parent, err = strconv.Atoi(said); err != nil {
		return 0, "", false
	}
	name, err = ps(pid, "comm=")
	return parent, name, err == nil
}

func ps(pid int, what string) (string, error) {
	out, err := exec.Command("ps", "-o", what, "-p", strconv.Itoa(pid)).Output()
	return strings.TrimSpace(string(out)), err
}
