// Package slacktest is a strict Slack for tests: the Web API and Socket Mode as their
// documentation describes them, for one workspace with one app.
//
// [New] starts one, and everything that a person does and sees there is a method of the
// [Server]: Press, Submit, Slash, Messages, LockScreen. It refuses what Slack refuses:
// wrong tokens and scopes, unknown fields, texts that are too long, forms whose trigger
// is older than three seconds. Envelopes that nobody acknowledges come again, on any
// connection, and connections share them.
//
// It was written from documentation and from what others report. The real Slack was not
// asked.
package slacktest
