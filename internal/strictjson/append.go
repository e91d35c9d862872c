package strictjson

import "unicode/utf8"

// AppendString appends s as a JSON string, byte for byte as encoding/json writes
// it with SetEscapeHTML(false): U+2028 and U+2029 are escaped, and each byte that
// is not UTF-8 becomes \ufffd.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	copied := 0
	for i := plainEnd(s, 0); i < len(s); i = plainEnd(s, i) {
		for i < len(s) && s[i] >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				dst = append(dst, s[copied:i]...)
				dst = append(dst, `\ufffd`...)
				copied = i + size
			case r == '\u2028' || r == '\u2029':
				dst = append(dst, s[copied:i]...)
				dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&0xf])
				copied = i + size
			}
			i += size
		}
		if i == len(s) || verbatim(s[i]) {
			continue
		}
		dst = append(dst, s[copied:i]...)
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		i++
		copied = i
	}
	dst = append(dst, s[copied:]...)
	return append(dst, '"')
}
