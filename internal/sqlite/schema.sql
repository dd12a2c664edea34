-- The schema of a new database, as one script; a test holds it equal to what
-- the migrations make. Times are microseconds since the Unix epoch, UTC. Text
-- is UTF-8 without NUL.

CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    dir        TEXT    NOT NULL,            -- working directory
    title      TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,            -- time of the latest event
    head       INTEGER NOT NULL,            -- seq of the last event
    fence      INTEGER NOT NULL,            -- grows with each holder of the right to append
    statements INTEGER NOT NULL,            -- inputs of the person
    removing   INTEGER NOT NULL DEFAULT 0,  -- 1: the session is being removed, with its events
    parent     TEXT REFERENCES sessions (id), -- of a fork: the session that it shares events with
    base       INTEGER NOT NULL DEFAULT 0,  -- of a fork: the last event that it shares
    size       INTEGER NOT NULL DEFAULT 0,  -- bytes of content and data
    cost       INTEGER NOT NULL DEFAULT 0   -- millionths of a US dollar
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_updated     ON sessions (updated DESC, id DESC);
CREATE INDEX sessions_dir_updated ON sessions (dir, updated DESC, id DESC);
CREATE INDEX sessions_created     ON sessions (created DESC, id DESC);
CREATE INDEX sessions_parent      ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE events (
    n           INTEGER PRIMARY KEY AUTOINCREMENT, -- grows in the order in which events are stored
    session     TEXT    NOT NULL REFERENCES sessions (id),
    seq         INTEGER NOT NULL,           -- 1, 2, 3 ... without gaps; of a fork: from base + 1
    id          TEXT    NOT NULL,
    interaction TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    time        INTEGER NOT NULL,
    content     TEXT    NOT NULL,           -- for people
    data        TEXT,                       -- for programs: a JSON object, byte for byte as given
    UNIQUE (session, seq)
) STRICT;

CREATE TABLE blobs (
    hash     TEXT    NOT NULL PRIMARY KEY,  -- SHA-256 of the bytes before encoding, hexadecimal
    size     INTEGER NOT NULL,              -- of the bytes before encoding
    encoding TEXT    NOT NULL,              -- raw, deflate or delta
    bytes    BLOB    NOT NULL,
    base     TEXT REFERENCES blobs (hash)   -- of a delta: the blob that it is the difference from
) STRICT;

CREATE INDEX blobs_base ON blobs (base) WHERE base IS NOT NULL;

CREATE TABLE leases (
    session TEXT    NOT NULL PRIMARY KEY REFERENCES sessions (id),
    fence   INTEGER NOT NULL,
    holder  TEXT    NOT NULL,               -- for people; a lock on a file is what counts
    taken   INTEGER NOT NULL,
    until   INTEGER                         -- always NULL: the lock ends with its process
) STRICT, WITHOUT ROWID;

-- What is found of an event, under the event's n, as words separated by spaces:
-- the tokenizer has nothing else to know. dir and session hold a word each that
-- stands for one. search_spans tells which events are indexed, in ranges, and
-- between which times they were; those up to the greatest last are done.
CREATE VIRTUAL TABLE search USING fts5 (
    text, tool, file, dir, session,
    content = '', contentless_delete = 1, tokenize = 'ascii'
);

CREATE TABLE search_spans (
    first  INTEGER NOT NULL PRIMARY KEY,
    last   INTEGER NOT NULL,
    events INTEGER NOT NULL,
    since  INTEGER NOT NULL,
    until  INTEGER NOT NULL
) STRICT;

-- Events are only ever appended. The checks of the place also stop INSERT OR
-- REPLACE, which would otherwise change a row without an UPDATE.

CREATE TRIGGER events_follow BEFORE INSERT ON events
WHEN NEW.seq <> 1 + coalesce(
        (SELECT max(seq) FROM events WHERE session = NEW.session),
        (SELECT base FROM sessions WHERE id = NEW.session), 0)
    OR NEW.n > 0 AND EXISTS (SELECT 1 FROM events WHERE n = NEW.n)
BEGIN
    SELECT RAISE(ABORT, 'events follow one another without gaps');
END;

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER events_leave_together BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session AND removing = 1)
BEGIN
    SELECT RAISE(ABORT, 'events are removed only with their whole session');
END;

CREATE TRIGGER sessions_begin BEFORE INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = NEW.id)
    OR NEW.removing <> 0
    OR NEW.parent IS NULL AND NEW.base <> 0
    OR NEW.parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events WHERE session = NEW.parent AND seq = NEW.base)
BEGIN
    SELECT RAISE(ABORT, 'a session begins once, with the past of another one or with none');
END;

CREATE TRIGGER sessions_keep_past BEFORE UPDATE OF id, parent, base ON sessions
BEGIN
    SELECT RAISE(ABORT, 'the past of a session is never changed');
END;

CREATE TRIGGER sessions_outlive_forks BEFORE UPDATE OF removing ON sessions
WHEN NEW.removing <> 0 AND EXISTS (SELECT 1 FROM sessions WHERE parent = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the session has forks, which share its events');
END;

CREATE TRIGGER sessions_outlive_events BEFORE DELETE ON sessions
WHEN OLD.removing = 0
    OR EXISTS (SELECT 1 FROM events WHERE session = OLD.id)
    OR EXISTS (SELECT 1 FROM sessions WHERE parent = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'the session still has events or forks');
END;

CREATE TRIGGER blobs_begin BEFORE INSERT ON blobs
WHEN EXISTS (SELECT 1 FROM blobs WHERE hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'blobs are never changed');
END;

CREATE TRIGGER blobs_stay BEFORE UPDATE ON blobs
BEGIN
    SELECT RAISE(ABORT, 'blobs are never changed');
END;

-- The views are a stable interface, see docs/schema.md. Two rules keep one odd
-- event from failing all of them: JSON deeper than SQLite reads is passed over
-- (json_valid), and sums are made in floating point, which does not overflow.
-- One more keeps them fast for one session: sums are windows, each step with one
-- kind of window that begins with the session. SQLite then asks for the session
-- where it reads the events, and not, as with GROUP BY, at the end.

CREATE VIEW v_usage AS
SELECT session, seq, interaction, time, data ->> 'model' AS model,
    CASE json_type(data, '$.input')       WHEN 'integer' THEN data ->> 'input' END              AS input_tokens,
    CASE json_type(data, '$.output')      WHEN 'integer' THEN data ->> 'output' END             AS output_tokens,
    CASE json_type(data, '$.cache_read')  WHEN 'integer' THEN data ->> 'cache_read'  ELSE 0 END AS cache_read_tokens,
    CASE json_type(data, '$.cache_write') WHEN 'integer' THEN data ->> 'cache_write' ELSE 0 END AS cache_write_tokens,
    CASE json_type(data, '$.reasoning')   WHEN 'integer' THEN data ->> 'reasoning'   ELSE 0 END AS reasoning_tokens,
    CASE json_type(data, '$.cost')        WHEN 'integer' THEN (data ->> 'cost') / 1e6 END       AS cost_usd,
    data ->> 'stop' AS stop
FROM (
    SELECT session, seq, interaction, time, CASE WHEN json_valid(data) THEN data END AS data
    FROM events WHERE kind = 'usage'
);

-- An input of the person begins a statement. What the loop said to the model, what
-- was said while it worked and what was typed to the shell says so in its data.
CREATE VIEW placed_events AS
SELECT session, seq, interaction, kind, content, data,
    kind = 'user' AND interaction = 'main' AND coalesce(CASE WHEN json_valid(data) THEN data ->> 'by' END, '') = '' AS begins
FROM events;

CREATE VIEW v_statements AS
WITH placed AS (
    SELECT session, seq, kind, begins,
        kind = 'assistant' AND interaction = 'main' AND content <> '' AS answers,
        CASE WHEN kind = 'usage' AND json_valid(data) THEN data END AS data,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM placed_events WHERE kind IN ('user', 'assistant', 'request', 'tool_call', 'usage')
), summed AS (
    SELECT session, statement, seq, begins,
        max(seq) FILTER (WHERE answers) OVER done AS answer_seq,
        count(*) FILTER (WHERE kind = 'request') OVER done AS turns,
        count(*) FILTER (WHERE kind = 'tool_call') OVER done AS tool_calls,
        CAST(total(data ->> 'input') OVER done AS INTEGER) AS input_tokens,
        CAST(total(data ->> 'output') OVER done AS INTEGER) AS output_tokens,
        sum(CAST(data ->> 'cost' AS REAL)) OVER done / 1e6 AS cost_usd
    FROM placed WINDOW done AS (PARTITION BY session, statement)
)
SELECT p.session, p.statement, p.seq, e.time, s.dir, s.title, e.content, a.content AS answer,
    p.turns, p.tool_calls, p.input_tokens, p.output_tokens, p.cost_usd
FROM summed p
JOIN sessions s ON s.id = p.session
JOIN events e ON e.session = p.session AND e.seq = p.seq
LEFT JOIN events a ON a.session = p.session AND a.seq = p.answer_seq
WHERE p.begins;

CREATE VIEW v_turns AS
WITH placed AS (
    SELECT session, seq, interaction, kind,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM placed_events WHERE kind IN ('user', 'request', 'tool_call', 'usage')
), numbered AS (
    SELECT session, seq, interaction, kind, statement,
        count(*) FILTER (WHERE kind = 'request') OVER (PARTITION BY session, interaction ORDER BY seq) AS request
    FROM placed
), joined AS (
    SELECT session, seq, interaction, kind, statement,
        min(seq) FILTER (WHERE kind = 'usage') OVER reply AS usage_seq,
        count(*) FILTER (WHERE kind = 'tool_call') OVER reply AS tool_calls
    FROM numbered WINDOW reply AS (PARTITION BY session, interaction, request)
), turns AS (
    SELECT session, seq, interaction, statement, usage_seq, tool_calls,
        row_number() OVER (PARTITION BY session, statement ORDER BY seq) AS turn
    FROM joined WHERE kind = 'request'
), read AS (
    SELECT t.*, r.time, CASE WHEN json_valid(r.data) THEN r.data END AS sent, CASE WHEN json_valid(x.data) THEN x.data END AS used
    FROM turns t
    JOIN events r ON r.session = t.session AND r.seq = t.seq
    LEFT JOIN events x ON x.session = t.session AND x.seq = t.usage_seq
)
SELECT t.session, t.statement, t.turn, t.seq, t.interaction, t.time, t.sent ->> 'model' AS model,
    CASE json_type(t.sent, '$.size') WHEN 'integer' THEN t.sent ->> 'size' END        AS request_bytes,
    CASE json_type(t.sent, '$.kept') WHEN 'integer' THEN t.sent ->> 'kept' ELSE 0 END AS kept_bytes,
    t.tool_calls, u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens,
    u.cost_usd, u.stop,
    CASE json_type(t.used, '$.first_ms') WHEN 'integer' THEN t.used ->> 'first_ms' END AS first_ms,
    CASE json_type(t.used, '$.total_ms') WHEN 'integer' THEN t.used ->> 'total_ms' END AS total_ms
FROM read t
LEFT JOIN v_usage u ON u.session = t.session AND u.seq = t.usage_seq;

CREATE VIEW v_tool_calls AS
WITH placed AS (
    SELECT session, seq, interaction, kind, json_valid(data) AS readable,
        CASE WHEN NOT json_valid(data) THEN NULL WHEN kind = 'tool_call' THEN data ->> 'id' ELSE data ->> 'tool_call_id' END AS call,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM placed_events WHERE kind IN ('user', 'tool_call', 'tool_result')
), paired AS (
    SELECT session, seq, interaction, kind, readable, call, statement,
        lead(seq)  OVER same AS next_seq,
        lead(kind) OVER same AS next_kind
    FROM placed WINDOW same AS (PARTITION BY session, interaction, call ORDER BY seq)
)
SELECT p.session, p.statement, p.seq, p.interaction, c.time, p.call AS tool_call_id,
    CASE WHEN p.readable THEN c.data ->> '$.function.name' END AS name,
    CASE WHEN p.readable THEN c.data ->> '$.function.arguments' END AS arguments,
    c.content AS summary, r.seq AS result_seq,
    CASE json_type(r.data, '$.success') WHEN 'true' THEN 1 WHEN 'false' THEN 0 END AS success,
    r.data ->> 'output' AS output, r.data ->> 'note' AS note,
    CASE json_type(r.data, '$.ms') WHEN 'integer' THEN r.data ->> 'ms' END AS ms
FROM paired p
JOIN events c ON c.session = p.session AND c.seq = p.seq
LEFT JOIN events r ON r.session = p.session AND r.seq = p.next_seq AND p.next_kind = 'tool_result' AND p.call IS NOT NULL
WHERE p.kind = 'tool_call';

CREATE VIEW v_resources AS
SELECT e.session, e.seq, e.time, e.data ->> 'tool_call_id' AS tool_call_id, e.data ->> 'name' AS tool,
    r.value ->> 'uri' AS uri, json_type(r.value, '$.changed') IS 'true' AS changed
FROM events e, json_each(CASE WHEN json_valid(e.data) THEN e.data END, '$.resources') r
WHERE e.kind = 'tool_result' AND r.type = 'object';

CREATE VIEW v_objectives AS
WITH placed AS (
    SELECT session, seq, kind,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM placed_events WHERE kind IN ('user', 'goal', 'objective', 'title')
)
SELECT p.session, p.statement, p.seq, e.time, p.kind, e.content
FROM placed p
JOIN events e ON e.session = p.session AND e.seq = p.seq
WHERE p.kind <> 'user';
