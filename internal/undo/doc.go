// Package undo takes back what a session has changed in files: a Ledger knows
// from the events what that is, a Worker does it, and a Watcher finds out what
// tools change that do not announce it.
//
// Nothing is lost by it: what others have changed since is left as it is, what
// is there is kept before it goes, and an undo can itself be taken back.
package undo
