package localhub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/saysohq/sayso/app/surface/notify"
)

// The services that notifications go through want tokens and passwords. Each service
// has a file for them in the hub's folder, which only the owner can read. Nothing of
// it is stored with the questions, so a backup does not have it, and every node of a
// cluster has files of its own.

// TelegramService is what the hub needs to be a Telegram bot.
type TelegramService struct {
	Token string `json:"token"`
	API   string `json:"api,omitempty"` // default: Telegram's own
	Bot   string `json:"bot,omitempty"` // its user name; the hub asks Telegram when the token comes
}

// SlackService is what the hub needs to be a Slack app.
type SlackService struct {
	BotToken string `json:"botToken"`
	AppToken string `json:"appToken"`
	API      string `json:"api,omitempty"` // default: Slack's own
}

// MailService is the server that mail is sent through.
type MailService struct {
	SMTP     string `json:"smtp"` // host and port
	From     string `json:"from"`
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
}

// notifyFolder has the files of the services.
func (p Places) notifyFolder() string { return filepath.Join(p.State, "notify") }

// Service returns the file of a service.
func (p Places) Service(kind notify.Kind) string {
	return filepath.Join(p.notifyFolder(), string(kind)+".json")
}

// readService reads the file of a service, and reports whether there is one. A file
// that others can read is refused: who has a token can answer in the person's name.
func (p Places) readService(kind notify.Kind, into any) (bool, error) {
	name := p.Service(kind)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return false, fmt.Errorf("%s can be read by other users (mode %04o); run: chmod 600 %[1]s", name, mode)
	}
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return false, fmt.Errorf("%s is not what the hub expects there; write it anew with: sayso notify add %s", name, kind) // the error may quote a token
	}
	return true, nil
}

// writeService replaces the file of a service.
func (p Places) writeService(kind notify.Kind, from any) error {
	if err := private(p.notifyFolder()); err != nil {
		return err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(from); err != nil {
		return err
	}
	name := p.Service(kind)
	f, err := os.CreateTemp(p.notifyFolder(), "."+string(kind)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
