package httpapi

import "github.com/saysohq/sayso/app/auth"

// SetQuota changes the limits of credentials while the server runs. What is in use
// beyond them stays.
func (s *Server) SetQuota(q Quota) { s.limits.set(q) }

// Pages returns the rules about names and web pages, for other doors of this
// process. Its SetHosts changes the names that the server answers to.
func (s *Server) Pages() *auth.Pages { return s.pages }
