package localhub

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
)

// OpenSecurityLog opens the security log in the file that a setting names: empty
// for the usual one, off for none. That the usual one cannot be opened keeps
// nobody from their work; the log tells.
func OpenSecurityLog(p Places, setting string, log *slog.Logger) (*securitylog.Log, error) {
	if setting == "off" {
		return nil, nil
	}
	l, err := securitylog.Open(cmp.Or(setting, p.SecurityLog()), &securitylog.Options{Log: log})
	if err != nil && setting == "" {
		log.Warn("no security log is kept", "err", err)
		return nil, nil
	}
	return l, err
}

// CloseSecurityLog writes what is left, if that takes no longer than two seconds.
func CloseSecurityLog(l *securitylog.Log) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return l.Close(ctx)
}

// noteSessions notes sessions that ended, by whoever it was. Where a person signs
// in or shows a cookie that does not hold, the web inbox knows more.
func noteSessions(l *securitylog.Log) func(auth.SessionEvent) {
	return func(e auth.SessionEvent) {
		if e.What == "ended" {
			l.Note(securitylog.Event{Name: securitylog.SessionEnded, Tenant: e.Session.Tenant, Session: e.Session.ID})
		}
	}
}
