package storecheck

import (
	"bytes"
	"encoding/binary"
	"hash"
)

// record is one verified record; its slices alias the block's buffer.
type record struct {
	size    int
	seq     uint64
	time    int64
	erased  bool
	tomb    bool
	subject []byte
	header  []byte
}

// readRecord verifies the record at the start of buf.
func readRecord(buf []byte, h hash.Hash64) (record, bool) {
	var r record
	if len(buf) < recordHead+recordHash {
		return r, false
	}
	le := binary.LittleEndian
	length := le.Uint32(buf)
	headed := length&hasHeaders != 0
	length &^= hasHeaders
	if length < recordHead+recordHash || length > maxRecord || int(length) > len(buf) {
		return r, false
	}
	r.size = int(length)
	data, sum := buf[recordHead:r.size-recordHash], buf[r.size-recordHash:r.size]
	subjectLen := int(le.Uint16(buf[20:]))
	if subjectLen > len(data) {
		return r, false
	}
	r.subject = data[:subjectLen]
	rest := data[subjectLen:]
	h.Reset()
	h.Write(buf[4:20])
	h.Write(r.subject)
	if headed {
		if len(rest) < 4 {
			return r, false
		}
		n := le.Uint32(rest)
		rest = rest[4:]
		if uint64(n) > uint64(len(rest)) {
			return r, false
		}
		r.header = rest[:n]
	}
	h.Write(rest)
	if le.Uint64(sum) != h.Sum64() {
		return r, false
	}
	if headed && !wellFormedHeader(r.header) || !wellFormedSubject(r.subject) {
		return r, false
	}
	r.seq, r.time = le.Uint64(buf[4:]), int64(le.Uint64(buf[12:]))
	r.tomb, r.erased = r.seq&tombstone != 0, r.seq&erased != 0
	r.seq &^= tombstone | erased
	return r, true
}

func wellFormedHeader(h []byte) bool {
	return bytes.HasPrefix(h, []byte(headerStart)) && bytes.HasSuffix(h, []byte("\r\n\r\n"))
}

func wellFormedSubject(s []byte) bool {
	for _, c := range s {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// headerValue returns the value of one header line, "" when there is none.
func headerValue(h []byte, name string) string {
	line := []byte("\r\n" + name + ":")
	i := bytes.Index(h, line)
	if i < 0 {
		return ""
	}
	v := h[i+len(line):]
	if j := bytes.IndexByte(v, '\r'); j >= 0 {
		v = v[:j]
	}
	return string(bytes.TrimSpace(v))
}

// appendTombstone appends the record by which a store remembers that its last sequence was seq.
func appendTombstone(b []byte, seq uint64, time int64, h hash.Hash64) []byte {
	var head [recordHead]byte
	le := binary.LittleEndian
	le.PutUint32(head[0:], recordHead+recordHash)
	le.PutUint64(head[4:], seq|tombstone)
	le.PutUint64(head[12:], uint64(time))
	h.Reset()
	h.Write(head[4:20])
	return h.Sum(append(b, head[:]...))
}
