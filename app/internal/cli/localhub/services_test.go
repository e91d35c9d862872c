package localhub

import (
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify"
)

// A token is in a file that only the owner can read, and in no error.
func TestServiceFiles(t *testing.T) {
	t.Parallel()
	p := Places{State: t.TempDir()}
	var got TelegramService
	if there, err := p.readService(notify.Telegram, &got); there || err != nil {
		t.Fatalf("without a file: %v %v", there, err)
	}
	if err := p.writeService(notify.Telegram, &TelegramService{Token: "12:SECRET", API: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if there, err := p.readService(notify.Telegram, &got); !there || err != nil || got.Token != "12:SECRET" || got.API != "http://127.0.0.1:1" {
		t.Fatalf("read %+v %v %v", got, there, err)
	}
	for name, want := range map[string]os.FileMode{p.notifyFolder(): 0o700, p.Service(notify.Telegram): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660} {
		if err := os.Chmod(p.Service(notify.Telegram), mode); err != nil {
			t.Fatal(err)
		}
		if _, err := p.readService(notify.Telegram, &got); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	if err := os.WriteFile(p.Service(notify.Mail), []byte(`{"password":"SECRET",`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.readService(notify.Mail, &MailService{}); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("a file that is not JSON: %v", err)
	}
}
