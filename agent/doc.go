// Package agent is a durable host of conversations.
package agent
