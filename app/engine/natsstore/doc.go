// Package natsstore is hub.Store on NATS JetStream.
//
// For most uses: Open with a connection, give the Store to hub.Open, and Close it. The connection may lead to the server
// inside this process, to one of a cluster's nodes or to any NATS server that acknowledges only what is on the disk.
//
// What it guarantees, beyond the contract of hub.Store:
//
//   - Every record has one subject, which is its whole address, and one message: the last. A write is a compare-and-set
//     on that subject and carries a nonce, so a reply that was lost is found again by reading.
//   - A refusal is told apart from not knowing. ErrConflict is only returned after the stream's leader was read.
//   - What is read with Get has all that was acknowledged before, by any process, also while nodes are cut off from each
//     other and two of them believe that they lead. Lists may come from any replica, but are never older than what this Store
//     has heard, written or read.
//   - Watch subscribes to what its query selects, and a change that it does not select costs it nothing. When it may have
//     missed something, it says so: at once after a reconnect, an election or dropped notifications, and within a
//     minute otherwise, as it compares what it heard with what is stored.
//   - Quotas keep new asks out and never an answer. They are of the whole store.
//   - Settled tickets move to the archive. Get and List find them there until their time is over, a list has each of them
//     once, and what was not copied is not removed: a crash at any step loses and doubles nothing.
//   - There is no consumer for an ask, a waiter or a list: the cost of a waiting ask is its subject in the server's memory.
//
// # Layout
//
// One set of streams per shard; ss is the shard, chosen by tenant and person, so that an inbox is in one stream.
//
//	ASK2-ss  ask.ss.tenant.person.asker.conversation.id   tickets, republished on evt.ask.>
//	DRF2-ss  drf.ss.tenant.person.asker.conversation.id   drafts, republished on evt.drf.>
//	AUX2-ss  ses.ss.tenant.person.asker.conversation.id   small records without audit: sessions; republished on evt.ses.>
//	KEY2-00  key.00.tenant.person.asker.conversation.id   keys, and what the hub signs with, of all shards; republished on evt.key.>
//	DUE2-ss  due.ss.tenant.person.asker.conversation.id   which tickets have a deadline, to find what is due
//	HIS2-ss  his.ss.tenant.person.asker.conversation.id   the archive: every closed ticket, for ExportAudit and for Get and List
//
// The layout has a version, kept in the metadata of the streams. Open refuses one that it does not know.
package natsstore
