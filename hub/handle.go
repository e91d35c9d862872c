package hub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// A handle is base64url of a version byte, the four parts of an address, each
// with its length before it, and a truncated HMAC-SHA256 of all that.
const (
	handleV1 = 1
	macLen   = 16
)

// Handle returns an opaque name of the ask at the address, to give to agents and
// people. Nobody without the hub's key can make one, so who shows it was given it;
// it is not a permission to answer.
func (h *Hub) Handle(addr Address) string {
	b := addr.append([]byte{handleV1})
	b = append(b, h.mac(b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Address returns the address that a handle names, or [ErrHandle] if this hub, or
// one with the same key, did not make it.
func (h *Hub) Address(handle string) (Address, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(handle)
	if err != nil || len(b) <= macLen || strings.ContainsAny(handle, "\r\n") { // which base64 passes over
		return Address{}, ErrHandle
	}
	b, mac := b[:len(b)-macLen], b[len(b)-macLen:]
	if !hmac.Equal(mac, h.mac(b)) || b[0] != handleV1 {
		return Address{}, ErrHandle
	}
	var addr Address
	rest := b[1:]
	for _, part := range []*string{&addr.Tenant, &addr.Person, &addr.Conversation, &addr.ID} {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return Address{}, ErrHandle
		}
		*part = string(rest[size : size+int(n)])
		rest = rest[size+int(n):]
	}
	if len(rest) > 0 {
		return Address{}, ErrHandle
	}
	return addr, nil
}

func (h *Hub) mac(b []byte) []byte {
	m := hmac.New(sha256.New, h.opts.Key)
	m.Write([]byte("sayso handle"))
	m.Write(b)
	return m.Sum(nil)[:macLen]
}

// append encodes the address so that no two are encoded the same.
func (a Address) append(b []byte) []byte {
	for _, s := range [...]string{a.Tenant, a.Person, a.Conversation, a.ID} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}
