-- +goose Up
-- Forks, sizes and costs of sessions, an n of events that VACUUM keeps, blobs
-- as differences, leases, search, and the views.

ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions (id);
ALTER TABLE sessions ADD COLUMN base INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;

UPDATE sessions SET
    size = coalesce((SELECT sum(octet_length(content) + coalesce(octet_length(data), 0)) FROM events WHERE session = sessions.id), 0),
    cost = coalesce((SELECT sum(CASE WHEN json_valid(data) AND json_type(data, '$.cost') = 'integer' THEN data ->> 'cost' END)
        FROM events WHERE session = sessions.id AND kind = 'usage'), 0);

CREATE INDEX sessions_created     ON sessions (created DESC, id DESC);
CREATE INDEX sessions_parent      ON sessions (parent) WHERE parent IS NOT NULL;

-- The triggers go with the table.
CREATE TABLE events_2 (
    n           INTEGER PRIMARY KEY AUTOINCREMENT,
    session     TEXT    NOT NULL REFERENCES sessions (id),
    seq         INTEGER NOT NULL,
    id          TEXT    NOT NULL,
    interaction TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    time        INTEGER NOT NULL,
    content     TEXT    NOT NULL,
    data        TEXT,
    UNIQUE (session, seq)
) STRICT;
INSERT INTO events_2 (n, session, seq, id, interaction, kind, time, content, data)
    SELECT rowid, session, seq, id, interaction, kind, time, content, data FROM events ORDER BY rowid;
DROP TRIGGER sessions_outlive_events;
DROP TABLE events;
ALTER TABLE events_2 RENAME TO events;

ALTER TABLE blobs ADD COLUMN base TEXT REFERENCES blobs (hash);
CREATE INDEX blobs_base ON blobs (base) WHERE base IS NOT NULL;
DROP TRIGGER blobs_stay;

CREATE TABLE leases (
    session TEXT    NOT NULL PRIMARY KEY REFERENCES sessions (id),
    fence   INTEGER NOT NULL,
    holder  TEXT    NOT NULL,
    taken   INTEGER NOT NULL,
    until   INTEGER
) STRICT, WITHOUT ROWID;

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

-- +goose StatementBegin
CREATE TRIGGER events_follow BEFORE INSERT ON events
WHEN NEW.seq <> 1 + coalesce(
        (SELECT max(seq) FROM events WHERE session = NEW.session),
        (SELECT base FROM sessions WHERE id = NEW.session), 0)
    OR NEW.n > 0 AND EXISTS (SELECT 1 FROM events WHERE n = NEW.n)
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
CREATE TRIGGER sessions_begin BEFORE INSERT ON sessions
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = NEW.id)
    OR NEW.removing <> 0
    OR NEW.parent IS NULL AND NEW.base <> 0
    OR NEW.parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM events WHERE session = NEW.parent AND seq = NEW.base)
BEGIN
    SELECT RAISE(ABORT, 'a session begins once, with the past of another one or with none');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER sessions_keep_past BEFORE UPDATE OF id, parent, base ON sessions
BEGIN
    SELECT RAISE(ABORT, 'the past of a session is never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER sessions_outlive_forks BEFORE UPDATE OF removing ON sessions
WHEN NEW.removing <> 0 AND EXISTS (SELECT 1 FROM sessions WHERE parent = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the session has forks, which share its events');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER sessions_outlive_events BEFORE DELETE ON sessions
WHEN OLD.removing = 0
    OR EXISTS (SELECT 1 FROM events WHERE session = OLD.id)
    OR EXISTS (SELECT 1 FROM sessions WHERE parent = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'the session still has events or forks');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER blobs_begin BEFORE INSERT ON blobs
WHEN EXISTS (SELECT 1 FROM blobs WHERE hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'blobs are never changed');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER blobs_stay BEFORE UPDATE ON blobs
BEGIN
    SELECT RAISE(ABORT, 'blobs are never changed');
END;
-- +goose StatementEnd

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

CREATE VIEW v_statements AS
WITH placed AS (
    SELECT session, seq, kind, kind = 'user' AND interaction = 'main' AS begins,
        kind = 'assistant' AND interaction = 'main' AND content <> '' AS answers,
        CASE WHEN kind = 'usage' AND json_valid(data) THEN data END AS data,
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM events WHERE kind IN ('user', 'assistant', 'request', 'tool_call', 'usage')
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
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM events WHERE kind IN ('user', 'request', 'tool_call', 'usage')
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
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM events WHERE kind IN ('user', 'tool_call', 'tool_result')
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
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM events WHERE kind IN ('user', 'goal', 'objective', 'title')
)
SELECT p.session, p.statement, p.seq, e.time, p.kind, e.content
FROM placed p
JOIN events e ON e.session = p.session AND e.seq = p.seq
WHERE p.kind <> 'user';
