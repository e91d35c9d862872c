// Package web is the inbox in the browser: one page where everything that waits
// for a person is, live, on a desktop and on a phone.
//
// Most programs need [New], which makes a handler of a hub, and [Site.LoginLink],
// which makes the address that lets a person in once.
//
// What the package guarantees:
//
//   - Every form works without JavaScript; the script only adds live updates,
//     drafts and keys.
//   - Nothing is chosen for the person, and a form that says nothing is not sent.
//   - Text from an asker is data: escaped, or Markdown without raw HTML, pictures
//     and scripts, under a policy that runs only our own script.
//   - Every page but the login wants a session, on every method; a session is
//     bound to one person, and who answers is that person.
//   - A login address works once, within a quarter of an hour, and only by a form
//     that is sent: opening it, however often, uses nothing up.
package web
