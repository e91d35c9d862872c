// Package storecheck says whether a JetStream folder still holds every record that was acknowledged.
//
// nats-server heals a damaged folder by dropping what it cannot read, without a word: one flipped bit and a crash cost half
// a stream. So the folder is read here first, before the server opens it, and nothing is repaired silently.
// For most uses: Open a Guard, Check before the server starts, Begin, Note each acknowledged sequence, Observe the
// streams about once a second, and End after a clean stop.
//
// What it guarantees, after any kind of stop:
//   - every record that is there reads back with its checksum, its lengths and its headers intact;
//   - no stream ends before the highest sequence that was noted (exact after a crash of the process; after a power cut the
//     mark may be up to FlushEvery old);
//   - no live record that was there at the last Observe is gone, unless a later record, a tombstone or the stream's own
//     limits explain it;
//   - after a clean stop: every file is there with the size (and, blocks aside, the content) it had.
//
// The layout of the files it reads is that of nats-server v2.15; the tests of natsserver read what a real server wrote, and
// fail when a new version writes something else.
package storecheck
