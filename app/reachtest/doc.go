// Package reachtest measures how soon people are notified, and how soon their agents
// go on: the real program with its documented flags, and services that are imitated
// strictly. It has tests only.
package reachtest
