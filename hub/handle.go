package hub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// A handle is base64url of a version byte, the parts of an address, each with its
// length before it, and a truncated HMAC-SHA256 of all that. In version 1 an
// address had no asker.
const (
	handleV1 = 1
	handleV2 = 2
	macLen   = 16
)

// Handle returns an opaque name of the ask at the address, to give to agents and
// people. Nobody without the hub's key can make one, so who shows it was given it;
// it is not a permission to answer.
func (h *Hub) Handle(addr Address) string {
	b := addr.append([]byte{handleV2})
	b = append(b, h.mac(b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Address returns the address that a handle names, or [ErrHandle] if this hub, or
// one with the same key, did not make it. It does not know handles that an earlier
// version gave out; [Hub.Find] does.
func (h *Hub) Address(handle string) (Address, error) {
	addr, version, err := h.open(handle)
	if err == nil && version != handleV2 {
		return Address{}, ErrHandle
	}
	return addr, err
}

// open reads a handle of any version.
func (h *Hub) open(handle string) (addr Address, version byte, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(handle)
	if err != nil || len(b) <= macLen || strings.ContainsAny(handle, "\r\n") { // which base64 passes over
		return Address{}, 0, ErrHandle
	}
	b, mac := b[:len(b)-macLen], b[len(b)-macLen:]
	if !hmac.Equal(mac, h.mac(b)) || b[0] != handleV1 && b[0] != handleV2 {
		return Address{}, 0, ErrHandle
	}
	version, rest := b[0], b[1:]
	for _, part := range []*string{&addr.Tenant, &addr.Person, &addr.Asker, &addr.Conversation, &addr.ID} {
		if version == handleV1 && part == &addr.Asker {
			continue
		}
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return Address{}, 0, ErrHandle
		}
		*part = string(rest[size : size+int(n)])
		rest = rest[size+int(n):]
	}
	if len(rest) > 0 {
		return Address{}, 0, ErrHandle
	}
	return addr, version, nil
}

func (h *Hub) mac(b []byte) []byte {
	m := hmac.New(sha256.New, h.opts.Key)
	m.Write([]byte("sayso handle"))
	m.Write(b)
	return m.Sum(nil)[:macLen]
}

// append encodes the address so that no two are encoded the same.
func (a Address) append(b []byte) []byte {
	return appendParts(b, a.Tenant, a.Person, a.Asker, a.Conversation, a.ID)
}

func appendParts(b []byte, parts ...string) []byte {
	for _, s := range parts {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}
