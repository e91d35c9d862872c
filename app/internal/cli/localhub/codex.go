package localhub

import (
	"context"
	"log/slog"
	"net"

	"github.com/saysohq/sayso/app/door/codex"
	"github.com/saysohq/sayso/client"
)

// CodexOptions say which Codex the hub connects.
type CodexOptions struct {
	Home  string                                      // its folder; default: none is connected
	Place func(dir string) (workspace, branch string) // what people call a folder; default: as it is called
}

// connectCodex connects Codex for as long as the hub serves: it asks over the hub's own
// socket, as every other program of the person. The hub stays while Codex works.
func (o *ServeOptions) connectCodex(use *use, log *slog.Logger) (stop func()) {
	if o.Codex.Home == "" {
		return func() {}
	}
	c, err := client.New(o.Places.Socket(), &client.Options{
		Surface: codex.Host,
		Dial: func(ctx context.Context) (net.Conn, error) {
			return (&Starter{Places: o.Places}).Attach(ctx)
		},
	})
	if err != nil {
		log.Warn("Codex cannot be connected", "error", err)
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		codex.Run(ctx, c, &codex.Options{
			Home: o.Codex.Home, Place: o.Codex.Place, Log: log,
			Working: func() func() {
				use.add(1)
				return func() { use.add(-1) }
			},
		})
	}()
	return func() {
		cancel()
		<-done
		c.Close()
	}
}
