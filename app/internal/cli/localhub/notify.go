package localhub

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// Manager is the service manager that started the hub: systemd, or another that
// speaks its protocol. It is told when the hub is ready, reloads and stops. A nil
// Manager tells nobody.
type Manager struct{ socket string }

// ManagerOf returns the manager that the environment names, nil if there is none.
func ManagerOf(getenv func(string) string) *Manager {
	if socket := getenv("NOTIFY_SOCKET"); socket != "" {
		return &Manager{socket}
	}
	return nil
}

// Ready says that requests are served, also after a reload.
func (m *Manager) Ready() { m.tell("READY=1", "STATUS=serving") }

// Stopping says that the hub has begun to end.
func (m *Manager) Stopping() { m.tell("STOPPING=1", "STATUS=stopping") }

// Reloading says that the hub reads its settings again. Ready must follow, also
// after a reload that failed: the manager waits for it.
func (m *Manager) Reloading() {
	m.tell("RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", monotonic().Microseconds()), "STATUS=reloading")
}

// Status says in a line what the hub is doing.
func (m *Manager) Status(line string) { m.tell("STATUS=" + strings.ReplaceAll(line, "\n", " ")) }

// tell sends one datagram. A manager that cannot be told must not stop the hub, so
// there is no error: the manager sees that nothing came.
func (m *Manager) tell(lines ...string) {
	if m == nil {
		return
	}
	conn, err := net.DialTimeout("unixgram", m.socket, time.Second)
	if err != nil {
		return
	}
	defer conn.Close()
	conn.SetWriteDeadline(time.Now().Add(time.Second))
	conn.Write([]byte(strings.Join(lines, "\n")))
}
