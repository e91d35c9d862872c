package natsstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Permissions are what the login of a gateway needs, and no more.
type Permissions struct {
	Publish   []string // always
	Layout    []string // to publish, at the first start, at the first start of a newer version, and to erase a conversation
	Copies    []string // to publish, for backups and for restoring one
	Subscribe []string
}

// PermissionsOf returns the permissions for the store with this prefix. Names of streams have the prefix within a token,
// which no wildcard selects: give each store an account of its own.
func PermissionsOf(prefix string) Permissions {
	n := names{prefix}
	var p Permissions
	for _, a := range areas {
		p.Publish = append(p.Publish, n.space()+a.area+".>")
	}
	for _, area := range []string{areaDue, areaArchive} {
		p.Publish = append(p.Publish, n.space()+area+".>")
	}
	slices.Sort(p.Publish)
	p.Publish = append(p.Publish,
		"$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*", "$JS.API.DIRECT.GET.>", "$JS.API.STREAM.MSG.DELETE.*")
	p.Layout = []string{"$JS.API.STREAM.CREATE.*", "$JS.API.STREAM.UPDATE.*", "$JS.API.STREAM.PURGE.*", "$JS.API.STREAM.DELETE.*"}
	p.Copies = []string{"$JS.API.STREAM.SNAPSHOT.*", "$JS.API.STREAM.RESTORE.*", "$JS.SNAPSHOT.ACK.>", "$JS.SNAPSHOT.RESTORE.>"}
	p.Subscribe = []string{n.space() + areaEvent + ".>", "_INBOX.>", advisoryLeader}
	return p
}

// The oldest server that passes the tests of this package. An earlier one takes writes, and hangs in a list.
const (
	oldestMajor = 2
	oldestMinor = 12
)

// OldServerError says that the NATS server is too old for the store.
type OldServerError struct{ Version string }

func (e *OldServerError) Error() string {
	return fmt.Sprintf("the NATS server has version %s, and %d.%d or newer is needed", e.Version, oldestMajor, oldestMinor)
}

// checkServer refuses a server that is too old. What is no version is a server that somebody built: it is let through.
func checkServer(version string) error {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	m, err := strconv.Atoi(major)
	n, err2 := strconv.Atoi(minor)
	if err != nil || err2 != nil {
		return nil
	}
	if m < oldestMajor || m == oldestMajor && n < oldestMinor {
		return &OldServerError{version}
	}
	return nil
}
