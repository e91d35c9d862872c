// Package command hands notifications to a program of the person's own: the setting
// notify-command.
//
// The setting is a line for the shell, see [Shell]: it is the owner's, as the rest of the
// settings, and nothing is ever put into it. The notification comes on standard input as
// one line of JSON, see [Notification].
//
// What the package guarantees:
//
//   - Nothing of what an asker wrote is on the command line or in the environment.
//   - A program that takes too long is ended, with everything that it has started.
//   - The variables of sayso, which may hold keys, are not passed on.
//   - Which program runs is a setting of the hub, never part of a contact: whoever may
//     add a contact must not be able to run programs.
package command
