// Package journal keeps the events of a session on this machine's disk while
// its store does not take them, and delivers them once it does.
//
// A journal is one file per session, SESSION.journal in a directory. It is a
// sequence of records, one for each Append, so that delivery repeats exactly
// those appends; the store knows events by their IDs, so a delivery that was
// cut short is simply repeated. Each record carries its length and a checksum
// that continues the one before: what a crash left of the last record is
// recognised, and the bytes of an older file never pass for a record.
//
// Where another holder of the session has gone on meanwhile, what waited becomes
// a fork of the session. What one writer left and another finds in its way is
// renamed to SESSION.FENCE.journal and delivered apart; what can never be
// delivered is kept as SESSION.FENCE.refused or SESSION.FENCE.damaged.
package journal
