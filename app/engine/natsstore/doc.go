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
//     other and two of them believe that they lead. Lists may come from any replica and may lag.
//   - Watch is one subscription for the whole Store. It sees in the sequence numbers of the stream when it missed
//     something, and says so; when nothing more comes, it finds out within a few seconds.
//   - Quotas keep new asks out and never an answer.
//   - There is no consumer for an ask, a waiter or a list: the cost of a waiting ask is its subject in the server's memory.
//
// # Layout
//
// One set of streams per shard; ss is the shard, chosen by tenant and person, so that an inbox is in one stream.
//
//	ASK-ss  ask.ss.tenant.person.conversation.id   tickets, republished on evt.ask.>
//	DRF-ss  drf.ss.tenant.person.conversation.id   drafts, republished on evt.drf.>
//	AUX-ss  ses.ss.tenant.person.conversation.id   small records without audit: sessions; republished on evt.ses.>
//	DUE-ss  due.ss.tenant.person.conversation.id   which tickets have a deadline, to find what is due
//	AUD-ss  aud.ss.tenant                          a copy of everything that was in ASK-ss, for ExportAudit
//
// The layout has a version, kept in the metadata of the streams. Open refuses one that it does not know.
package natsstore
