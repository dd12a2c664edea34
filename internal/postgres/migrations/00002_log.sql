-- +goose Up
-- The first schema in PostgreSQL. It has the number of the one in SQLite that
-- is the same. Times are microseconds since the Unix epoch, UTC. Text is UTF-8
-- without NUL; what is compared or sorted is so by its bytes.
-- +goose StatementBegin

CREATE TABLE sessions (
    id         text    COLLATE "C" NOT NULL PRIMARY KEY,
    dir        text    COLLATE "C" NOT NULL,       -- working directory
    title      text    NOT NULL,
    created    bigint  NOT NULL,
    updated    bigint  NOT NULL,                   -- time of the latest event
    head       bigint  NOT NULL,                   -- seq of the last event
    fence      bigint  NOT NULL,                   -- grows with each holder of the right to append
    statements bigint  NOT NULL,                   -- inputs of the person
    removing   integer NOT NULL DEFAULT 0,         -- 1: the session is being removed, with its events
    parent     text    COLLATE "C" REFERENCES sessions (id),
    base       bigint  NOT NULL DEFAULT 0,         -- seq of the last event that is the parent's
    size       bigint  NOT NULL DEFAULT 0,         -- bytes of content and data of its own events
    cost       bigint  NOT NULL DEFAULT 0,         -- millionths of a US dollar, of its own events
    hour       bigint  NOT NULL GENERATED ALWAYS AS (updated / 3600000000) STORED -- to sort by, before updated
) WITH (fillfactor = 70);

-- An append makes a new version of the row of its session. It stays in its page
-- and costs no index anything as long as no column of an index changes, which
-- is why the indexes have the hour.
CREATE INDEX sessions_hour     ON sessions (hour DESC);
CREATE INDEX sessions_dir_hour ON sessions (dir, hour DESC);
CREATE INDEX sessions_created  ON sessions (created DESC, id DESC);
CREATE INDEX sessions_parent   ON sessions (parent) WHERE parent IS NOT NULL;

CREATE TABLE events (
    n           bigint GENERATED ALWAYS AS IDENTITY,
    session     text   COLLATE "C" NOT NULL,       -- a trigger holds it against sessions
    seq         bigint NOT NULL,                   -- base + 1, base + 2 ... without gaps
    id          text   COLLATE "C" NOT NULL,
    interaction text   COLLATE "C" NOT NULL,
    kind        text   COLLATE "C" NOT NULL,
    time        bigint NOT NULL,
    content     text   NOT NULL,                   -- for people
    data        text,                              -- for programs: a JSON object, byte for byte as given
    PRIMARY KEY (session, seq)
);

CREATE UNIQUE INDEX events_n ON events (n);

CREATE TABLE blobs (
    hash     text   COLLATE "C" NOT NULL PRIMARY KEY, -- SHA-256 of the bytes before encoding, hexadecimal
    size     bigint NOT NULL,                      -- of the bytes before encoding
    encoding text   COLLATE "C" NOT NULL,          -- raw, deflate or delta
    base     text   COLLATE "C" REFERENCES blobs (hash), -- of a delta
    bytes    bytea  NOT NULL
);
ALTER TABLE blobs ALTER COLUMN bytes SET STORAGE EXTERNAL; -- they are packed already

CREATE INDEX blobs_base ON blobs (base) WHERE base IS NOT NULL;

-- A session has a lease before it has its first event.
CREATE TABLE leases (
    session text   COLLATE "C" NOT NULL PRIMARY KEY,
    fence   bigint NOT NULL,
    holder  text   NOT NULL,
    taken   bigint NOT NULL,
    until   bigint NOT NULL                        -- by this server's clock
);

-- What a search finds: the words of an event, each once and without its place,
-- and, with a letter and a colon before them, what it may be narrowed down by.
CREATE TABLE search (
    n     bigint   NOT NULL PRIMARY KEY,           -- of the event
    words tsvector NOT NULL
);
CREATE INDEX search_words ON search USING gin (words);

-- Up to where events are indexed, and the numbers before that of which there
-- was no event then: its append was under way, or failed.
CREATE TABLE search_progress (
    one  integer PRIMARY KEY CHECK (one = 1),
    upto bigint  NOT NULL
);
INSERT INTO search_progress VALUES (1, 0);
CREATE TABLE search_gaps (
    n     bigint NOT NULL PRIMARY KEY,
    noted bigint NOT NULL
);

-- When the events were stored that were indexed together.
CREATE TABLE search_spans (
    first bigint NOT NULL PRIMARY KEY,
    last  bigint NOT NULL,
    since bigint NOT NULL,
    until bigint NOT NULL
);

-- Events are only ever appended.

CREATE FUNCTION ikigai_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- Each query finds at most one row by its key: whatever the planner knows, and
-- it knows nothing of a new database, there is one way to do that.
CREATE FUNCTION ikigai_event_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM events WHERE session = NEW.session AND seq = NEW.seq - 1;
    IF NOT FOUND THEN
        PERFORM FROM sessions WHERE id = NEW.session AND base = NEW.seq - 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'events follow one another without gaps' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION ikigai_events_leave_together() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM (SELECT DISTINCT session FROM removed) r
    LEFT JOIN sessions s ON s.id = r.session
    WHERE s.removing IS DISTINCT FROM 1 OR EXISTS (SELECT FROM events e WHERE e.session = r.session);
    IF FOUND THEN
        RAISE EXCEPTION 'events are removed only with their whole session' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION ikigai_session_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.removing <> 0 OR NEW.parent IS NULL AND NEW.base <> 0
        OR NEW.parent IS NOT NULL AND NOT EXISTS (SELECT FROM events WHERE session = NEW.parent AND seq = NEW.base) THEN
        RAISE EXCEPTION 'a session begins with the past of another one or with none'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

-- Runs for a whole statement: a trigger for each row would lock the row of the
-- session at every append.
CREATE FUNCTION ikigai_sessions_are_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM sessions s JOIN sessions fork ON fork.parent = s.id WHERE s.removing <> 0) THEN
        RAISE EXCEPTION 'the session has forks, which share its events' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION ikigai_session_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.removing = 0 OR EXISTS (SELECT FROM events WHERE session = OLD.id) OR EXISTS (SELECT FROM sessions WHERE parent = OLD.id) THEN
        RAISE EXCEPTION 'the session still has events or forks' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER events_follow BEFORE INSERT ON events
    FOR EACH ROW EXECUTE FUNCTION ikigai_event_follows();
CREATE TRIGGER events_stay BEFORE UPDATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_refuse('events are never changed');
CREATE TRIGGER events_leave_together AFTER DELETE ON events
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION ikigai_events_leave_together();
CREATE TRIGGER events_are_kept BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_refuse('events are removed only with their whole session');

CREATE TRIGGER sessions_begin BEFORE INSERT ON sessions
    FOR EACH ROW EXECUTE FUNCTION ikigai_session_begins();
CREATE TRIGGER sessions_keep_past BEFORE UPDATE OF id, parent, base ON sessions
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_refuse('the past of a session is never changed');
CREATE TRIGGER sessions_outlive_forks AFTER UPDATE OF removing ON sessions
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_sessions_are_removed();
CREATE TRIGGER sessions_outlive_events BEFORE DELETE ON sessions
    FOR EACH ROW EXECUTE FUNCTION ikigai_session_leaves();
CREATE TRIGGER sessions_are_kept BEFORE TRUNCATE ON sessions
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_refuse('sessions are removed one by one');

CREATE TRIGGER blobs_stay BEFORE UPDATE ON blobs
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_refuse('blobs are never changed');
CREATE TRIGGER blobs_are_kept BEFORE TRUNCATE ON blobs
    FOR EACH STATEMENT EXECUTE FUNCTION ikigai_refuse('blobs are removed only when no event names them');

-- The views read JSON that may be anything: a number that is none, or too
-- large, is NULL.

CREATE FUNCTION ikigai_number(value json) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value::text ~ '^-?[0-9]{1,18}$' THEN value::text::bigint END
$$;

CREATE FUNCTION ikigai_list(value json) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE json_typeof(value) WHEN 'array' THEN value ELSE '[]'::json END
$$;

CREATE VIEW v_usage AS
SELECT session, seq, interaction, time, data ->> 'model' AS model,
    ikigai_number(data -> 'input')                    AS input_tokens,
    ikigai_number(data -> 'output')                   AS output_tokens,
    coalesce(ikigai_number(data -> 'cache_read'), 0)  AS cache_read_tokens,
    coalesce(ikigai_number(data -> 'cache_write'), 0) AS cache_write_tokens,
    coalesce(ikigai_number(data -> 'reasoning'), 0)   AS reasoning_tokens,
    ikigai_number(data -> 'cost') / 1e6::float8       AS cost_usd,
    data ->> 'stop'                                   AS stop
FROM (SELECT session, seq, interaction, time, data::json AS data FROM events WHERE kind = 'usage') e;

CREATE VIEW v_statements AS
WITH placed AS (
    SELECT session, seq, kind, kind = 'assistant' AND interaction = 'main' AND content <> '' AS answers,
        CASE WHEN kind = 'usage' THEN data::json END AS data,
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM events WHERE kind IN ('user', 'assistant', 'request', 'tool_call', 'usage')
), summed AS (
    SELECT session, statement, min(seq) AS seq, max(seq) FILTER (WHERE answers) AS answer_seq,
        count(*) FILTER (WHERE kind = 'request') AS turns,
        count(*) FILTER (WHERE kind = 'tool_call') AS tool_calls,
        coalesce(sum(ikigai_number(data -> 'input')), 0)::bigint AS input_tokens,
        coalesce(sum(ikigai_number(data -> 'output')), 0)::bigint AS output_tokens,
        (sum(ikigai_number(data -> 'cost')) / 1e6)::float8 AS cost_usd
    FROM placed WHERE statement > 0 GROUP BY session, statement
)
SELECT p.session, p.statement, p.seq, e.time, s.dir, s.title, e.content, a.content AS answer,
    p.turns, p.tool_calls, p.input_tokens, p.output_tokens, p.cost_usd
FROM summed p
JOIN sessions s ON s.id = p.session
JOIN events e ON e.session = p.session AND e.seq = p.seq
LEFT JOIN events a ON a.session = p.session AND a.seq = p.answer_seq;

CREATE VIEW v_turns AS
WITH placed AS (
    SELECT session, seq, interaction, kind,
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement,
        count(*) FILTER (WHERE kind = 'request') OVER (PARTITION BY session, interaction ORDER BY seq) AS request
    FROM events WHERE kind IN ('user', 'request', 'tool_call', 'usage')
), grouped AS (
    SELECT session, interaction, max(seq) FILTER (WHERE kind = 'request') AS seq,
        min(statement) AS statement,
        min(seq) FILTER (WHERE kind = 'usage') AS usage_seq,
        count(*) FILTER (WHERE kind = 'tool_call') AS tool_calls
    FROM placed WHERE request > 0 GROUP BY session, interaction, request
), read AS (
    SELECT g.*, r.time, r.data::json AS sent, x.data::json AS used,
        row_number() OVER (PARTITION BY g.session, g.statement ORDER BY g.seq) AS turn
    FROM grouped g
    JOIN events r ON r.session = g.session AND r.seq = g.seq
    LEFT JOIN events x ON x.session = g.session AND x.seq = g.usage_seq
)
SELECT t.session, t.statement, t.turn, t.seq, t.interaction, t.time, t.sent ->> 'model' AS model,
    ikigai_number(t.sent -> 'size')              AS request_bytes,
    coalesce(ikigai_number(t.sent -> 'kept'), 0) AS kept_bytes,
    t.tool_calls, u.input_tokens, u.output_tokens, u.cache_read_tokens, u.cache_write_tokens, u.reasoning_tokens,
    u.cost_usd, u.stop,
    ikigai_number(t.used -> 'first_ms')          AS first_ms,
    ikigai_number(t.used -> 'total_ms')          AS total_ms
FROM read t
LEFT JOIN v_usage u ON u.session = t.session AND u.seq = t.usage_seq;

CREATE VIEW v_tool_calls AS
WITH named AS (
    SELECT session, seq, interaction, kind,
        CASE kind WHEN 'tool_call' THEN data::json ->> 'id' WHEN 'tool_result' THEN data::json ->> 'tool_call_id' END AS call
    FROM events WHERE kind IN ('user', 'tool_call', 'tool_result')
), paired AS (
    SELECT session, seq, interaction, kind, call,
        count(*) FILTER (WHERE kind = 'user' AND interaction = 'main') OVER (PARTITION BY session ORDER BY seq) AS statement,
        lead(seq)  OVER (PARTITION BY session, interaction, call ORDER BY seq) AS next_seq,
        lead(kind) OVER (PARTITION BY session, interaction, call ORDER BY seq) AS next_kind
    FROM named
)
SELECT p.session, p.statement, p.seq, p.interaction, c.time, p.call AS tool_call_id,
    c.data::json -> 'function' ->> 'name'      AS name,
    c.data::json -> 'function' ->> 'arguments' AS arguments,
    c.content AS summary, r.seq AS result_seq,
    CASE json_typeof(r.data::json -> 'success') WHEN 'boolean' THEN (r.data::json ->> 'success')::boolean::integer END AS success,
    r.data::json ->> 'output' AS output, r.data::json ->> 'note' AS note,
    ikigai_number(r.data::json -> 'ms') AS ms
FROM paired p
JOIN events c ON c.session = p.session AND c.seq = p.seq
LEFT JOIN events r ON r.session = p.session AND r.seq = p.next_seq AND p.next_kind = 'tool_result' AND p.call IS NOT NULL
WHERE p.kind = 'tool_call';

CREATE VIEW v_resources AS
SELECT e.session, e.seq, e.time, e.data ->> 'tool_call_id' AS tool_call_id, e.data ->> 'name' AS tool,
    r.value ->> 'uri' AS uri, (coalesce(r.value ->> 'changed', '') = 'true')::integer AS changed
FROM (SELECT session, seq, time, data::json AS data FROM events WHERE kind = 'tool_result') e,
    json_array_elements(ikigai_list(e.data -> 'resources')) r
WHERE json_typeof(r.value) = 'object';

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

-- +goose StatementEnd
