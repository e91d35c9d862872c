package natsstore_test

import (
	"context"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// postgres starts a PostgreSQL server with a cluster of its own, reached by a socket in its folder, and returns how to
// connect to it and its version; nothing if there is no PostgreSQL here.
func postgres(t *testing.T) (dsn, version string) {
	t.Helper()
	bin := postgresFolder()
	if bin == "" {
		return "", ""
	}
	dir, err := os.MkdirTemp("", "pg") // the path of a socket has to be short, and its user must get there
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 { // which it refuses to run as
		u, err := user.Lookup("postgres")
		must(t, err)
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		must(t, err)
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		must(t, err)
		must(t, os.Chown(dir, int(uid), int(gid)))
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	data := filepath.Join(dir, "data")
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = dir, as
		return cmd
	}
	if out, err := run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	server := run("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=on", "-c", "synchronous_commit=on")
	log, err := os.Create(filepath.Join(dir, "log"))
	must(t, err)
	server.Stdout, server.Stderr = log, log
	must(t, server.Start())
	t.Cleanup(func() {
		server.Process.Signal(syscall.SIGINT) // at once, but in order
		server.Wait()
		log.Close()
	})
	dsn = "host=" + dir + " user=postgres dbname=postgres"
	eventually(t, "PostgreSQL answers", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return false
		}
		defer c.Close(ctx)
		return c.QueryRow(ctx, "show server_version").Scan(&version) == nil
	})
	return dsn, version
}

// postgresFolder is where the newest server is that is installed, in Debian's place or on the path.
func postgresFolder() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}
