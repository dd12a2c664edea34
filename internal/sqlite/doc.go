// Package sqlite keeps the log in one SQLite file, for any number of processes
// on one machine.
//
// The database refuses what the log forbids: triggers reject a changed event,
// an event out of its place, and the removal of events other than with their
// whole session. Appends are durable when they return (write-ahead log,
// synchronous=FULL). One connection writes; a few others read, beside it.
//
// Beside FILE lie FILE-wal and FILE-shm, which belong to SQLite, and
// FILE.leases, a directory with a lock file for each session that is open and one
// for the turn to write; and, of a file that an earlier version wrote, FILE.v1
// or the like, a copy from before its schema was changed.
package sqlite
