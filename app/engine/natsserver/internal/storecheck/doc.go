// Package storecheck says whether a JetStream folder still holds every record that was acknowledged.
//
// nats-server heals a damaged folder by dropping what it cannot read, without a word: one flipped bit and a crash cost half
// a stream. So the folder is read here first, before the server opens it, and nothing is repaired silently.
// For most uses: Open a Guard, Check before the server starts, Begin, hold what the server Opened against the marks, Note
// each acknowledged sequence, Observe the streams about once a second, and End after a clean stop.
//
// # What it decides
//
// Check returns nil only for a folder that may be served. Then, after any kind of stop:
//   - every record that is there reads back with its checksum, its lengths and its headers intact;
//   - no stream ends before the highest sequence that was noted (exact after a crash of the process; after a power cut the
//     mark may be up to FlushEvery old);
//   - no live record that was there at the last Observe is gone, unless a later record, a tombstone or the stream's own
//     limits explain it;
//     (a node of a cluster that is killed again while it writes the end of its streams anew, from its Raft log, is
//     believed: what it lacks comes from the log);
//   - after a clean stop: every file is there with the size (and, blocks aside, the content) it had;
//   - a record that was replaced does not come back, even if the record that replaced it has expired.
//
// Otherwise Check returns a *DamagedError that names each loss, and Accept makes the folder one that may be served without
// what is lost. The rest of the program relies on this and on nothing else here. Only the file guard.go of package
// natsserver calls this package.
//
// # What it reads
//
// The files of nats-server are private: no document describes them, and a new version may change them. All that this
// package knows of them is in format.go, for one version of the server:
//   - the tree: jetstream/ACCOUNT/streams/STREAM, and jetstream/$SYS/_js_/GROUP for the log of a Raft group;
//   - meta.inf and meta.sum of stores and consumers: JSON, and its HighwayHash with a key made of the name;
//   - msgs/N.blk: records, tombstones and empty places, each with a HighwayHash whose key is made of the name and N;
//   - obs/CONSUMER/o.dat: the position of a consumer, versions 1 and 2;
//   - the header Nats-Expected-Last-Subject-Sequence, which the server stores with a record as it was sent.
//
// It writes two of these: tombstones in a block of their own, and meta.sum. It removes index.db, thw.db, sched.db
// (which our streams do not have) and sources.db, and never reads them. All other files, those of Raft among them, are only compared with the manifest of a
// clean stop.
//
// It assumes of the server: index.db and the others are made anew from the blocks when they are missing; after an unclean
// stop of a node of a cluster the server cuts a stream back to its last Raft snapshot, and writes the rest again once there
// is a leader; a removed record
// leaves a tombstone, unless it was the last of its block; only the last block is appended to, and only the others are
// rewritten; the size of a stream that the server reports is the sum of its live records. It assumes of the streams that
// they are neither compressed nor encrypted.
//
// # What breaks when the format moves
//
// The direction matters: what cannot be read is refused, and a sound store would not start. Files that moved or that are
// new would go unchecked, in silence, and only the tests below notice.
//   - Records and hashes: record.go and block.go. Every store is refused as unreadable.
//   - Descriptions: folder.go. Every store is refused, or Accept and the accounting misjudge how records may leave it.
//   - Positions: consumer.go. After a crash a store with a consumer is refused.
//   - Names and places of files: folder.go and manifest.go. Streams look lost, or are not looked at.
//   - When records leave a block: account.go and dead.go. Sound stores are refused after a crash, or losses pass.
//
// mark.go, files.go and damage.go know nothing of the server.
//
// # When nats-server is upgraded
//
// TestServerVersion fails until serverVersion is raised. Do all of this in the same change:
//  1. Read what changed between the two versions in server/filestore.go, server/store.go (encodeConsumerState) and
//     server/raft.go, above all the constants, writeMsgRecordLocked, msgFromBuf, rebuildState and recoverFullState.
//  2. Set serverVersion in format.go to the new version, and write its store with "go test -update" in this folder. The new
//     testdata/nats-server-VERSION.golden should be the same as the one before. Keep the stores of earlier versions, which
//     people have on their disks.
//  3. Run "go test ./engine/natsserver/... ./engine/natsstore/..." in app (fresh servers, one and three, against format.go;
//     kills, damage, and records that must not come back), then ".ci/run disks faults partitions mutants".
//  4. Run the long form of R01, R02, R03 and R04 of docs/records/reliability.md, and correct its figures and its findings about
//     nats-server: some of what this package works around may be mended, or new.
//  5. Name the new version in docs/records/dependencies.md, docs/records/reliability.md and CHANGELOG.md.
package storecheck
