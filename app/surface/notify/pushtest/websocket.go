package pushtest

import (
	"bufio"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// socket is a connection of Firefox (RFC 6455, without fragments and extensions).
type socket struct {
	conn net.Conn
	in   *bufio.Reader
	mu   sync.Mutex // of writing
}

const subprotocol = "push-notification"

// websocket speaks the protocol of Mozilla's push service to one browser.
func (s *Server) websocket(w http.ResponseWriter, r *http.Request) {
	key := r.Header.Get("Sec-WebSocket-Key")
	var offers []string
	for p := range strings.SplitSeq(r.Header.Get("Sec-WebSocket-Protocol"), ",") {
		offers = append(offers, strings.TrimSpace(p))
	}
	if key == "" || !slices.Contains(offers, subprotocol) {
		http.Error(w, "no websocket of the right protocol", http.StatusBadRequest)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		conn.Close()
		return
	}
	s.open[conn] = true
	s.conns.Add(1)
	s.mu.Unlock()
	defer func() {
		conn.Close()
		s.mu.Lock()
		delete(s.open, conn)
		for _, c := range s.channels {
			if c.sock != nil && c.sock.conn == conn {
				c.sock = nil
			}
		}
		s.mu.Unlock()
		s.conns.Done()
	}()
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]), subprotocol)
	k := &socket{conn: conn, in: buffered.Reader}
	for {
		text, err := k.read()
		if err != nil {
			return
		}
		if err := s.said(k, text); err != nil {
			s.mu.Lock()
			if !s.closing {
				s.t.Errorf("pushtest: firefox: %v", err)
			}
			s.mu.Unlock()
			return
		}
	}
}

// said answers one message of the browser.
func (s *Server) said(k *socket, text []byte) error {
	var m struct {
		Type      string   `json:"messageType"`
		UAID      string   `json:"uaid"`
		ChannelID string   `json:"channelID"`
		Key       string   `json:"key"`
		Channels  []string `json:"channelIDs"`
		Updates   []struct {
			ChannelID string `json:"channelID"`
			Version   string `json:"version"`
			Code      int    `json:"code"`
		} `json:"updates"`
		Code    int    `json:"code"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	switch m.Type {
	case "": // {}: is anybody there
		return k.write(map[string]any{})
	case "hello":
		id := m.UAID
		if id == "" {
			id = random()
		}
		if err := k.write(map[string]any{"messageType": "hello", "uaid": id, "status": 200, "use_webpush": true, "broadcasts": map[string]any{}}); err != nil {
			return nil
		}
		s.back(k, m.UAID != "")
	case "register":
		s.subscribe(m.ChannelID, m.Key, nil, k)
		return k.write(map[string]any{"messageType": "register", "channelID": m.ChannelID, "status": 200, "pushEndpoint": s.endpoint(m.ChannelID)})
	case "unregister":
		s.Unsubscribe(m.ChannelID)
		return k.write(map[string]any{"messageType": "unregister", "channelID": m.ChannelID, "status": 200})
	case "ack":
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, u := range m.Updates {
			s.acks = append(s.acks, Ack{u.ChannelID, u.Code})
		}
		s.came()
	case "nack":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.acks = append(s.acks, Ack{Code: m.Code})
		s.came()
	case "ping", "broadcast_subscribe", "purge":
	default:
		return fmt.Errorf("an unknown message: %s", text)
	}
	return nil
}

// back gives a browser that is known the messages it has missed.
func (s *Server) back(k *socket, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.channels {
		if !known || c.play != nil || c.sock != nil {
			continue
		}
		c.sock = k
		for _, m := range c.held {
			k.deliver(m)
		}
		c.held = nil
	}
}

func (k *socket) deliver(m *Message) error {
	return k.write(map[string]any{
		"messageType": "notification", "channelID": m.Channel, "version": rand.Text(),
		"data": b64.EncodeToString(m.Body), "headers": map[string]string{"encoding": "aes128gcm"}, "ttl": m.TTL,
	})
}

// read returns the next text.
func (k *socket) read() ([]byte, error) {
	for {
		var h [2]byte
		if _, err := io.ReadFull(k.in, h[:]); err != nil {
			return nil, err
		}
		n := uint64(h[1] & 0x7f)
		switch n {
		case 126:
			var b [2]byte
			if _, err := io.ReadFull(k.in, b[:]); err != nil {
				return nil, err
			}
			n = uint64(binary.BigEndian.Uint16(b[:]))
		case 127:
			return nil, errors.New("too long")
		}
		var mask [4]byte
		if h[0]&0x80 == 0 || h[1]&0x80 == 0 {
			return nil, errors.New("a fragment, or no mask")
		}
		if _, err := io.ReadFull(k.in, mask[:]); err != nil {
			return nil, err
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(k.in, b); err != nil {
			return nil, err
		}
		for i := range b {
			b[i] ^= mask[i%4]
		}
		switch h[0] & 0xf {
		case 1:
			return b, nil
		case 8:
			k.frame(8, b)
			return nil, io.EOF
		case 9:
			k.frame(10, b)
		}
	}
}

func (k *socket) write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return k.frame(1, b)
}

func (k *socket) frame(op byte, b []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := []byte{0x80 | op}
	if len(b) < 126 {
		h = append(h, byte(len(b)))
	} else {
		h = binary.BigEndian.AppendUint16(append(h, 126), uint16(len(b)))
	}
	k.conn.SetWriteDeadline(time.Now().Add(time.Minute))
	_, err := k.conn.Write(append(h, b...))
	return err
}
