package natsserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Peer is a server of a NATS cluster, as it describes itself.
type Peer struct {
	Name    string
	Version string
	Synced  bool // it acknowledges a write once the write is on its disk
}

// checkFor is how long the servers have to answer; each answers for itself, and nobody knows how many there are.
const checkFor = time.Second

// Synced asks the servers of an existing NATS whether they sync every write, and returns those that answer. The operator
// exports "$SYS.REQ.SERVER.PING.JSZ" of the system account to the login's account, at the subject.
func Synced(ctx context.Context, nc *nats.Conn, subject string) ([]Peer, error) {
	sub, err := nc.SubscribeSync(nc.NewRespInbox())
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := nc.PublishRequest(subject, sub.Subject, []byte(`{"config":true}`)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	var peers []Peer
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if errors.Is(err, context.DeadlineExceeded) && len(peers) > 0 {
			return peers, nil
		}
		if err != nil {
			return nil, fmt.Errorf("no server answers at %q: %w", subject, err)
		}
		var said struct {
			Server struct {
				Name string `json:"name"`
				Ver  string `json:"ver"`
			} `json:"server"`
			Data struct {
				// The interval says two minutes also where every write is synced, so it is not looked at.
				Config *struct {
					SyncAlways bool `json:"sync_always"`
				} `json:"config"`
			} `json:"data"`
		}
		if err := json.Unmarshal(m.Data, &said); err != nil || said.Server.Name == "" {
			return nil, errors.Join(fmt.Errorf("the answer at %q is not that of a NATS server", subject), err)
		}
		if said.Data.Config != nil { // else it stores nothing
			peers = append(peers, Peer{said.Server.Name, said.Server.Ver, said.Data.Config.SyncAlways})
		}
	}
}
