package webpush

import (
	"bytes"
	"crypto/ecdh"
	"encoding/binary"
	"testing"
)

func raw(t *testing.T, s string) []byte {
	t.Helper()
	b, err := b64.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRFC8291 encrypts the message of RFC 8291, section 5 and appendix A.
func TestRFC8291(t *testing.T) {
	own, err := ecdh.P256().NewPrivateKey(raw(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	k := &keys{
		public: raw(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
		auth:   raw(t, "BTBZMqHH6r4Tts7J_aSIgg"),
	}
	got, err := sealWith([]byte("When I grow up, I want to be a watermelon"), k, own, raw(t, "DGv6ra1nlYgDCS1FRnbzlw"), 1)
	if err != nil {
		t.Fatal(err)
	}
	const want = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if b64.EncodeToString(got) != want {
		t.Errorf("got  %s\nwant %s", b64.EncodeToString(got), want)
	}
}

// TestRFC8188 encrypts the message of RFC 8188, section 3.1: the record alone.
func TestRFC8188(t *testing.T) {
	salt := raw(t, "I1BsxtFttlv3u_Oo94xnmw")
	gcm, nonce, err := record(raw(t, "yqdlZ-tYemfogSmv7Ws5PQ"), salt)
	if err != nil {
		t.Fatal(err)
	}
	head := append(binary.BigEndian.AppendUint32(salt, 4096), 0)
	got := gcm.Seal(head, nonce, []byte("I am the walrus\x02"), nil)
	if want := "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"; b64.EncodeToString(got) != want {
		t.Errorf("got  %s\nwant %s", b64.EncodeToString(got), want)
	}
}

// TestPadding: the length of what is sent says only how many times 256 it is.
func TestPadding(t *testing.T) {
	key, err := ecdh.P256().NewPrivateKey(raw(t, "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
	if err != nil {
		t.Fatal(err)
	}
	k := &keys{public: key.PublicKey().Bytes(), auth: make([]byte, 16)}
	for _, tt := range []struct{ len, plain int }{{0, 256}, {1, 256}, {255, 256}, {256, 512}, {500, 512}, {3839, 3840}, {3840, 3994}, {3993, 3994}} {
		msg := bytes.Repeat([]byte("x"), tt.len+10)[:tt.len] // with room behind it
		got, err := seal(msg, k)
		if err != nil || len(got) != headerSize+tt.plain+tagSize || len(got) > recordSize {
			t.Errorf("%d bytes: %d on the wire, %v", tt.len, len(got), err)
		}
		if after := msg[:tt.len+10][tt.len:]; !bytes.Equal(after, []byte("xxxxxxxxxx")) {
			t.Errorf("%d bytes: wrote %q behind the message", tt.len, after)
		}
	}
	if _, err := seal(make([]byte, maxMessage+1), k); err != errTooLong {
		t.Errorf("one byte too many: %v", err)
	}
	if _, err := seal(nil, &keys{public: make([]byte, 65), auth: make([]byte, 16)}); err == nil {
		t.Error("took a key that is not on the curve")
	}
}

func TestKeyOf(t *testing.T) {
	a, err := keyOf(bytes.Repeat([]byte("a"), 52))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := keyOf(bytes.Repeat([]byte("a"), 52))
	b, _ := keyOf(bytes.Repeat([]byte("b"), 52))
	if !a.Equal(again) || a.Equal(b) {
		t.Error("a secret makes one key, and another one another")
	}
	if _, err := keyOf([]byte("short")); err == nil {
		t.Error("a secret that can be guessed makes no key")
	}
}
