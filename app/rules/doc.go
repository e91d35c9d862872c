// Package rules has what decides about approvals in the place of a person: how rules
// are read, matched, kept, rehearsed and explained. [hub.Rule] is what they consist of.
//
// A rule that allows is exact: it was made from one call that a person had allowed, and
// matches that call again, to the byte, by the same agent in the same place. It ends by
// itself. Patterns exist only in rules that deny or name who has to answer.
//
// All rules of a tenant are one record. So a decision is made by all rules or by none,
// and when a change of the rules has returned, no process decides without it any more.
package rules
