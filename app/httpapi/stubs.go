package httpapi

func (s *Server) submit(c *call) error             { return internal.problem("") }
func (s *Server) list(c *call) error               { return internal.problem("") }
func (s *Server) get(c *call) error                { return internal.problem("") }
func (s *Server) answer(c *call) error             { return internal.problem("") }
func (s *Server) decline(c *call) error            { return internal.problem("") }
func (s *Server) withdraw(c *call) error           { return internal.problem("") }
func (s *Server) draft(c *call) error              { return internal.problem("") }
func (s *Server) saveDraft(c *call) error          { return internal.problem("") }
func (s *Server) consume(c *call) error            { return internal.problem("") }
func (s *Server) undo(c *call) error               { return internal.problem("") }
func (s *Server) events(c *call) error             { return internal.problem("") }
func (s *Server) conversationEvents(c *call) error { return internal.problem("") }
func (s *Server) call(c *call) error               { return internal.problem("") }
func (s *Server) dialect(c *call) error            { return internal.problem("") }
func (s *Server) respond(c *call) error            { return internal.problem("") }
func (s *Server) cancel(c *call) error             { return internal.problem("") }
func (s *Server) stateEvents(c *call) error        { return internal.problem("") }
func (s *Server) metrics(c *call) error            { return internal.problem("") }
func (s *Server) healthz(c *call) error            { return internal.problem("") }
func (s *Server) readyz(c *call) error             { return internal.problem("") }
