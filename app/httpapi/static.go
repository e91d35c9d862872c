package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/saysohq/sayso/api"
)

// static is a document that changes only with the program.
type static struct {
	body []byte
	etag string
}

func newStatic(v any) (*static, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("httpapi: encoding a document: %w", err)
	}
	sum := sha256.Sum256(body)
	return &static{append(body, '\n'), `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}, nil
}

// How long a document may be used without asking for it again. A program that is
// replaced has others, so it is not long.
const (
	forEverybody = "public, max-age=300"
	forTheCaller = "private, max-age=300"
)

// replyStatic writes a document, or says that the client has it.
func (c *call) replyStatic(d *static, cache string) error {
	h := c.w.Header()
	h.Set("ETag", d.etag)
	h.Set("Cache-Control", cache)
	for tag := range strings.SplitSeq(c.r.Header.Get("If-None-Match"), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == d.etag || tag == "*" {
			c.w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Type", "application/json")
	c.w.WriteHeader(http.StatusOK)
	c.w.Write(d.body)
	return nil
}

func (s *Server) openapi(c *call) error {
	if err := c.foreign(); err != nil {
		return err
	}
	return c.replyStatic(s.description, forEverybody)
}

func (s *Server) dialects(c *call) error {
	list := api.DialectList{Dialects: []api.Dialect{}}
	for _, d := range s.opts.Dialects {
		list.Dialects = append(list.Dialects, dialectOf(d))
	}
	doc, err := newStatic(list)
	if err != nil {
		return err
	}
	return c.replyStatic(doc, forTheCaller)
}

func (s *Server) dialect(c *call) error {
	d, ok := s.dialectByName(c.r.PathValue("name"))
	if !ok {
		return noDialect()
	}
	doc, err := newStatic(dialectOf(d))
	if err != nil {
		return err
	}
	return c.replyStatic(doc, forTheCaller)
}

// me says who the caller is, so that a client can check its key.
func (s *Server) me(c *call) error {
	return c.reply(http.StatusOK, api.Me{
		Tenant: c.who.Tenant, ID: c.who.ID, Roles: strings.Split(c.who.Role.String(), "+"), Assurance: c.who.Assurance,
	})
}
