// Package natsserver is the NATS server inside the binary.
//
// For most uses: Start with a folder, take a connection with Conn, Note every acknowledged write, and Close. The server
// then has no port, belongs to this process alone, and acknowledges nothing before it is on the disk: there is no option
// to weaken that. With Options.Cluster it is one of three nodes; with Options.Client it also listens for clients.
//
// Start refuses to serve a folder that lost records, whatever the last stop was (clean, kill -9, power cut), and says in a
// *DamagedError what is lost. Nothing is repaired or dropped silently; a person restores a backup or calls Accept.
//
// Records written to its streams should carry at least one header: without any, the server's checksum does not notice a
// changed border between subject and body. Records replaced by compare-and-set carry one anyway.
package natsserver
