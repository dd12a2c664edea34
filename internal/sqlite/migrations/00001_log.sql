-- +goose Up
-- The log: sessions, their events, and the bytes that events name.

CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    dir        TEXT    NOT NULL,            -- working directory
    title      TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,            -- time of the latest event
    head       INTEGER NOT NULL,            -- seq of the last event
    fence      INTEGER NOT NULL,            -- grows with each holder of the right to append
    statements INTEGER NOT NULL,            -- inputs of the person
    removing   INTEGER NOT NULL DEFAULT 0   -- 1: the session is being removed, with its events
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_updated     ON sessions (updated DESC, id DESC);
CREATE INDEX sessions_dir_updated ON sessions (dir, updated DESC, id DESC);

CREATE TABLE events (
    session     TEXT    NOT NULL REFERENCES sessions (id),
    seq         INTEGER NOT NULL,           -- 1, 2, 3 ... without gaps
    id          TEXT    NOT NULL,
    interaction TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    time        INTEGER NOT NULL,
    content     TEXT    NOT NULL,           -- for people
    data        TEXT,                       -- for programs: a JSON object, byte for byte as given
    PRIMARY KEY (session, seq)
) STRICT;

CREATE TABLE blobs (
    hash     TEXT    NOT NULL PRIMARY KEY,  -- SHA-256 of the bytes before encoding, hexadecimal
    size     INTEGER NOT NULL,              -- of the bytes before encoding
    encoding TEXT    NOT NULL,              -- raw or deflate
    bytes    BLOB    NOT NULL
) STRICT;

-- Events are only ever appended. The check of the place also stops INSERT OR
-- REPLACE, which would otherwise change an event without an UPDATE.

-- +goose StatementBegin
CREATE TRIGGER events_follow BEFORE INSERT ON events
WHEN NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events WHERE session = NEW.session), 0)
BEGIN
    SELECT RAISE(ABORT, 'events follow one another without gaps');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER events_leave_together BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session AND removing = 1)
BEGIN
    SELECT RAISE(ABORT, 'events are removed only with their whole session');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER sessions_outlive_events BEFORE DELETE ON sessions
WHEN EXISTS (SELECT 1 FROM events WHERE session = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'the session still has events');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER blobs_stay BEFORE UPDATE ON blobs
BEGIN
    SELECT RAISE(ABORT, 'blobs are never changed');
END;
-- +goose StatementEnd
