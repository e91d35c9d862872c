// Package pushtest is a push service for tests: the HTTP side to which a hub sends
// (RFC 8030, 8291, 8292), and the websocket on which Firefox waits for messages. It
// listens on the loopback and reaches nobody.
//
// Most tests need [New], [Server.Browser] for a browser that is only played, and
// [Server.Fail] for the faults of a service. Firefox itself uses it when its setting
// dom.push.serverURL is [Server.WebSocket].
//
// It is strict: what a real service would refuse or only tolerate is a failure of the
// test, with the reason. See [Server.check].
package pushtest
