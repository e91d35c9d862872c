package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// explain returns an error in the words of the command line: what happened, with the
// value, and the next step. Errors of the packages below carry the steps that they
// went through, which is for logs. The exit code stays.
func explain(err error) error {
	var exit *console.ExitError
	var says *client.Error
	var storage *hub.StorageError
	var folder *localhub.NoFolderError
	code := console.Code(err)
	as := func(text, next string) error {
		return &console.ExitError{Code: code, Err: &spoken{err, text}, Hint: next}
	}
	switch {
	case err == nil, code == console.ExitInterrupted, console.Hint(err) != "":
		return err
	case errors.As(err, &says) && says.Reason != "":
		return as(says.Detail, "Details: sayso doctor.")
	case errors.As(err, &storage):
		return as(storage.Error(), "Details: sayso doctor.")
	case errors.Is(err, errNoHub):
		return as("this command needs a hub, and --hub is \"none\"", "Leave out --hub none (or SAYSO_HUB) to use your own hub, which starts by itself.")
	case errors.Is(err, localhub.ErrRunning):
		return as(err.Error(), "Stop it first: sayso stop.")
	case errors.As(err, &folder):
		return as(folder.Error(), upper(localhub.NoFolder)+". Check: sayso doctor.")
	case errors.As(err, &says):
		text, next := refused(says)
		return as(text, next)
	case errors.Is(err, sayso.ErrUnreachable):
		text, next := unreachable(err)
		return as(text, next)
	case errors.As(err, &exit):
		return err
	}
	return as(unprefixed(err.Error()), "")
}

// refused says what a hub has against a request.
func refused(says *client.Error) (text, next string) {
	switch {
	case errors.Is(says, client.ErrCredential):
		return "the hub rejected the key", "Check --key-file (or SAYSO_KEY). Keys of this hub, on its machine: sayso keys list."
	case errors.Is(says, hub.ErrNotAllowed):
		next = "Roles of keys: sayso keys --help."
	case says.Quota != nil:
		next = "Limits of the hub: sayso serve --help."
	}
	return strings.TrimPrefix(says.Error(), "the hub says: "), next
}

// unreachable says which hub cannot be reached, and why.
func unreachable(err error) (text, next string) {
	var at *url.Error
	if errors.As(err, &at) {
		if u, bad := url.Parse(at.URL); bad == nil && !strings.HasSuffix(u.Host, ".sock") {
			next = "Check --hub (or SAYSO_HUB) and that \"sayso serve --listen\" is running there."
			if over := (x509.CertificateInvalidError{}); errors.As(err, &over) && over.Reason == x509.Expired {
				next = "Renew the certificate on the server. If it is good, correct the clock of this machine."
			}
			return "cannot reach the hub at " + u.Scheme + "://" + u.Host + ": " + reason(err), next
		}
	}
	text = strings.TrimPrefix(unprefixed(err.Error()), sayso.ErrUnreachable.Error()+": ")
	if why, ok := strings.CutPrefix(text, "starting the local hub: "); ok {
		text = "your hub cannot start: " + strings.TrimPrefix(why, "opening the storage: ")
	}
	return text, "Check the installation: sayso doctor."
}

// reason is the innermost cause of an error: what the system said.
func reason(err error) string {
	var errno syscall.Errno
	var path *fs.PathError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return certificateReason(certificate.Err)
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &dns):
		return "no such host " + dns.Name
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no reply in time"
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return unprefixed(err.Error())
		}
		err = inner
	}
}

// certificateReason says why a certificate is refused.
func certificateReason(err error) string {
	var over x509.CertificateInvalidError
	if !errors.As(err, &over) || over.Reason != x509.Expired || over.Cert == nil {
		return unprefixed(err.Error())
	}
	if now := time.Now(); now.Before(over.Cert.NotBefore) {
		return "its certificate is not valid before " + over.Cert.NotBefore.UTC().Format(clockFormat) + ", and it is " + now.UTC().Format(clockFormat) + " here"
	}
	return "its certificate expired on " + over.Cert.NotAfter.UTC().Format(clockFormat)
}

const clockFormat = "2006-01-02 15:04 MST"

// unprefixed is a text without the name of the package that it begins with.
func unprefixed(text string) string {
	for _, name := range []string{"client: ", "auth: ", "hub: ", "hook: ", "pendingfile: ", "sayso: ", "tls: ", "x509: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// spoken is an error in other words.
type spoken struct {
	error
	text string
}

func (e *spoken) Error() string { return e.text }
func (e *spoken) Unwrap() error { return e.error }

// needsQuestion checks that a command has the id of a question.
var needsQuestion = console.Arg("the id of a question", "Open questions: sayso list.")

// wrongHub says that the address of a hub is none.
func wrongHub(address string) error {
	return console.Usage("invalid value %q for --hub", address).
		Next("Use a URL with http or https, the absolute path of a socket, or none: sayso list --hub https://%s.", strings.TrimPrefix(address, "//"))
}

// noTerminal says that something needs a terminal, if that is what is missing.
func noTerminal(err error, what, format string, args ...any) error {
	if !errors.Is(err, errNobodyHere) {
		return err
	}
	return console.Fault("%s needs a terminal and this process has none", what).Next(format, args...)
}
