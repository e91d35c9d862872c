package telegram_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
)

// serve is a server that does what the handler does with every request.
func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}
