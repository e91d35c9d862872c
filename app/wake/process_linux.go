package wake

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ProcessOf returns the process with this number: the boot of the machine, the
// namespace in which the number counts, the number, and when it was started.
func ProcessOf(pid int) Process {
	fields, _, ok := stat(pid)
	if !ok {
		return ""
	}
	where := place()
	if where == "" {
		return ""
	}
	return Process(fmt.Sprintf("%s/%d/%s", where, pid, fields[19]))
}

func place() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + strings.Trim(strings.TrimPrefix(space, "pid:"), "[]")
}

// Number returns the number of the process, "" if it is not known.
func (p Process) Number() string {
	if parts := strings.Split(string(p), "/"); len(parts) == 4 {
		return parts[2]
	}
	return ""
}

// Life says whether the process runs.
func (p Process) Life() Life {
	parts := strings.Split(string(p), "/")
	here := strings.Split(place(), "/")
	if len(parts) != 4 || len(here) != 2 {
		return Unknown
	}
	pid, err := strconv.Atoi(parts[2])
	switch {
	case err != nil || pid <= 0:
		return Unknown
	case parts[0] != here[0]:
		return Gone // the machine was started again
	case parts[1] != here[1]:
		return Unknown // of a container
	}
	fields, _, ok := stat(pid)
	if !ok || fields[19] != parts[3] || fields[0] == "Z" || fields[0] == "X" {
		return Gone
	}
	return Running
}

// look returns the parent and the name of a process.
func look(pid int) (parent int, name string, ok bool) {
	fields, name, ok := stat(pid)
	if !ok {
		return 0, "", false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, name, err == nil
}

// stat returns the fields of a process from its state on, and its name.
func stat(pid int) (fields []string, name string, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, "", false
	}
	from, to := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')') // the name may hold some
	if from < 0 || to < from {
		return nil, "", false
	}
	fields = strings.Fields(string(data[to+1:]))
	return fields, string(data[from+1 : to]), len(fields) > 19
}
