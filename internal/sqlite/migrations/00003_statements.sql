-- +goose Up
-- What the loop, a steer or the shell says in the person's place begins no statement.

DROP VIEW v_statements;
DROP VIEW v_turns;
DROP VIEW v_tool_calls;
DROP VIEW v_objectives;

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
