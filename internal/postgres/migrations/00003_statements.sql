-- +goose Up
-- What the loop, a steer or the shell says in the person's place begins no statement.
-- Views are replaced: people may have built on them, and said who may read them.
-- +goose StatementBegin

-- An input of the person begins a statement. What the loop said to the model, what
-- was said while it worked and what was typed to the shell says so in its data.
CREATE VIEW placed_events AS
SELECT session, seq, interaction, kind, content, data,
    CASE WHEN kind = 'user' AND interaction = 'main' THEN coalesce(data::json ->> 'by', '') = '' ELSE false END AS begins
FROM events;

CREATE OR REPLACE VIEW v_statements AS
WITH placed AS (
    SELECT session, seq, kind, kind = 'assistant' AND interaction = 'main' AND content <> '' AS answers,
        CASE WHEN kind = 'usage' THEN data::json END AS data,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM placed_events WHERE kind IN ('user', 'assistant', 'request', 'tool_call', 'usage')
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

CREATE OR REPLACE VIEW v_turns AS
WITH placed AS (
    SELECT session, seq, interaction, kind,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement,
        count(*) FILTER (WHERE kind = 'request') OVER (PARTITION BY session, interaction ORDER BY seq) AS request
    FROM placed_events WHERE kind IN ('user', 'request', 'tool_call', 'usage')
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

CREATE OR REPLACE VIEW v_tool_calls AS
WITH named AS (
    SELECT session, seq, interaction, kind, begins,
        CASE kind WHEN 'tool_call' THEN data::json ->> 'id' WHEN 'tool_result' THEN data::json ->> 'tool_call_id' END AS call
    FROM placed_events WHERE kind IN ('user', 'tool_call', 'tool_result')
), paired AS (
    SELECT session, seq, interaction, kind, call,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement,
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

CREATE OR REPLACE VIEW v_objectives AS
WITH placed AS (
    SELECT session, seq, kind,
        count(*) FILTER (WHERE begins) OVER (PARTITION BY session ORDER BY seq) AS statement
    FROM placed_events WHERE kind IN ('user', 'goal', 'objective', 'title')
)
SELECT p.session, p.statement, p.seq, e.time, p.kind, e.content
FROM placed p
JOIN events e ON e.session = p.session AND e.seq = p.seq
WHERE p.kind <> 'user';

-- +goose StatementEnd
