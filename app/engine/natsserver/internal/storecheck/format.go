package storecheck

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// This file is what the package knows of nats-server's private files. The server documents none of it and may change it
// in any version; formats_test.go holds all of it against what a real server writes.

// serverVersion is the nats-server that the rest of this file is true of. The package comment says how to raise it.
const serverVersion = "v2.15.2"

// The folders and files. A store is a stream (ROOT/ACCOUNT/streams/NAME) or the log of a Raft group (ROOT/$SYS/_js_/NAME),
// and both have this form.
const (
	rootDir      = "jetstream"
	streamsDir   = "streams"
	raftDir      = "_js_"
	blocksDir    = "msgs"     // N.blk: the records
	consumersDir = "obs"      // a folder for each consumer
	metaFile     = "meta.inf" // the description of a store or of a consumer, JSON
	metaSumFile  = "meta.sum" // its keyed hash, in hexadecimal
	positionFile = "o.dat"    // how far a consumer has come
)

// indexFile is what the server remembers of a stream, and makes anew from the blocks. It is never read here.
const indexFile = blocksDir + "/index.db"

// unsummed are the other files that it makes anew, which carry no checksum of their own. They are never read here either.
var unsummed = []string{blocksDir + "/thw.db", blocksDir + "/sched.db", "sources.db"}

// A record in a block file, all numbers little endian:
//
//	length u32 (high bit: has headers) | sequence u64 | time i64 | subject length u16 | subject | [header length u32 | headers] | body | hash u64
//
// The hash covers sequence, time, subject, headers and body, but none of the lengths: a flipped subject or header length
// can move the border between two parts under an unchanged hash, so the parts are checked for their shape as well.
// Blocks that are compressed or encrypted are not understood; the streams of the hub are neither.
const (
	recordHead = 22
	recordHash = 8
	maxRecord  = 32 << 20

	hasHeaders = 1 << 31 // in the length
	erased     = 1 << 63 // in the sequence: an empty place
	tombstone  = 1 << 62 // in the sequence: the record with that sequence was removed

	headerStart = "NATS/1.0"
	// expectedHeader is stored with every record written by compare-and-set: it names the record that was replaced.
	expectedHeader = "Nats-Expected-Last-Subject-Sequence"
)

// The first two bytes of a position are these, a magic number and a version.
const (
	positionMagic  = 22
	positionOldest = 1
	positionNewest = 2
)

// blockHash is the keyed hash of block index of the store called name.
func blockHash(name string, index uint32) hash.Hash64 {
	return keyedHash(name + "-" + strconv.FormatUint(uint64(index), 10))
}

// consumerKey is the key of the description of a consumer; that of a store is its name.
func consumerKey(store, consumer string) string { return store + "/" + consumer }

func keyedHash(key string) hash.Hash64 {
	k := sha256.Sum256([]byte(key))
	h, err := highwayhash.New64(k[:])
	if err != nil {
		panic(err) // only for a key that is not 32 bytes long
	}
	return h
}

// blockName is the file name of block index.
func blockName(index uint32) string { return fmt.Sprintf("%d.blk", index) }

// blockIndex is the inverse of blockName.
func blockIndex(name string) (uint32, bool) {
	n, err := strconv.ParseUint(strings.TrimSuffix(name, ".blk"), 10, 32)
	return uint32(n), err == nil && name == blockName(uint32(n))
}
