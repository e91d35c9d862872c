//go:build unix

package desktop

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
)

// browse opens an address in the person's browser, which may run on long after us.
func browse(url string) error {
	if url == "" {
		return errors.New(`no address to open: answer with "sayso inbox" or "sayso web"`)
	}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return fmt.Errorf("not an address of a page: %.40q", url)
	}
	if _, err := exec.LookPath("xdg-open"); err != nil {
		return fmt.Errorf("no browser is known here: %w", err)
	}
	cmd := exec.Command("/bin/sh", "-c", `xdg-open "$1" >/dev/null 2>&1 </dev/null &`, "sh", url)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}
