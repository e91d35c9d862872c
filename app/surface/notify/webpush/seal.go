package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// The form of a message (RFC 8188): one record of 4,096 bytes at most. Push services
// need not take more.
const (
	recordSize = 4096
	headerSize = 16 + 4 + 1 + 65 // salt, record size, length of the key, the key
	tagSize    = 16
	padTo      = 256

	// maxMessage is the longest message: what the header, the tag and the delimiter leave.
	maxMessage = recordSize - headerSize - tagSize - 1
)

var errTooLong = fmt.Errorf("webpush: a message has more than %d bytes", maxMessage)

var b64 = base64.RawURLEncoding

// seal encrypts a message to a browser (RFC 8291), padded to a multiple of padTo.
func seal(msg []byte, k *keys) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, 16)
	rand.Read(salt) // never fails
	return sealWith(msg, k, own, salt, padTo)
}

// sealWith is seal with everything that is random.
func sealWith(msg []byte, k *keys, own *ecdh.PrivateKey, salt []byte, pad int) ([]byte, error) {
	if len(msg) > maxMessage {
		return nil, errTooLong
	}
	peer, err := ecdh.P256().NewPublicKey(k.public)
	if err != nil {
		return nil, errors.New("webpush: the key of the browser is none")
	}
	shared, err := own.ECDH(peer)
	if err != nil {
		return nil, err
	}
	public := own.PublicKey().Bytes()
	ikm, err := hkdf.Key(sha256.New, shared, k.auth, "WebPush: info\x00"+string(k.public)+string(public), 32)
	if err != nil {
		return nil, err
	}
	gcm, nonce, err := record(ikm, salt)
	if err != nil {
		return nil, err
	}
	// The 2 says that this is the last record. The zeros after it are the padding.
	plain := make([]byte, min((len(msg)+pad)/pad*pad, maxMessage+1))
	copy(plain, msg)
	plain[len(msg)] = 2
	out := make([]byte, 0, headerSize+len(plain)+tagSize)
	out = append(out, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, byte(len(public))), public...)
	return gcm.Seal(out, nonce, plain, nil), nil
}

// record returns the cipher and the nonce of the first record (RFC 8188, 2.2 and 2.3).
func record(ikm, salt []byte) (cipher.AEAD, []byte, error) {
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, err
	}
	gcm, err := cipher.NewGCM(block)
	return gcm, nonce, err
}
