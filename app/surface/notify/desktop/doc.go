// Package desktop shows notifications on the desktop of the person who runs the hub,
// and takes the buttons that they press there. It speaks D-Bus with whatever program
// serves org.freedesktop.Notifications: GNOME, KDE, dunst, mako.
//
// Most programs call [New] with nil and give the [Channel] to the notifier.
//
// What the package guarantees:
//
//   - A press counts only if the notification service itself sent it. Any program on
//     the bus can send the same signal; its sender is compared.
//   - Text is never markup. Where the service reads markup, the text is escaped.
//   - An option can be chosen only where the service shows the whole ask, and a
//     dangerous one never.
//   - A notification that is dismissed, expires or is lost says nothing.
//   - A notification that another service, or another session, has shown is neither
//     replaced nor closed: its number may belong to something else by now.
package desktop
