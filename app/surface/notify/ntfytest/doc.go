// Package ntfytest is a strict ntfy server for tests, with the phones that follow its
// topics.
//
// It is written from the documentation of ntfy 2.16, and from what an earlier version
// was seen to do. It refuses what that refuses: more than three actions, messages over
// 4,096 bytes, topics and fields that it does not know, users without the right. It
// also refuses what works there and should not be used, such as a button that sends a
// token along.
package ntfytest
