// Package localhub is the hub of one person on one machine: a process that the
// first command in need of it starts in the background, as tmux and gpg-agent
// do, and that ends by itself when nothing waits and nobody is attached.
//
// Commands use [Starter.Dial] as the way to every connection: it connects, and
// starts a hub first where there is none. The process itself is [Serve].
//
// What it guarantees:
//
//   - There is at most one hub for a state folder. Many commands that start at
//     once start one; a hub that is still ending is waited for.
//   - The socket has mode 0600 in a folder with mode 0700, and every peer's user
//     id is checked as well. There is no TCP port unless one was asked for.
//   - It ends only when no ask is open and no request was under way for a while,
//     and a command that comes just then starts the next one.
//   - Its log says what happened and to which ask, never what was asked or
//     answered.
package localhub
