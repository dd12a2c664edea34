package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func TestReadStatement(t *testing.T) {
	for text, want := range map[string]statementWords{
		"SELECT now()":                     {"select", []string{"now"}},
		" ((select 1))":                    {"select", []string{}},
		"with x as (select F (1)) table x": {"with", []string{"as", "f"}},
		"values (1), (2)":                  {"values", []string{"values"}},
		`select "F()" . "g""h" /* ( */ ()`: {"select", []string{`g"h`}},
		"-- a\n/* b /* c */ d */ show x":   {"show", []string{}},
		`select E'\'f()', 'g()''h()', $$i()$$, $a$j()$$k()$a$, l()`: {"select", []string{"l"}},
		`select '\', m()`:          {"select", []string{"m"}},
		"select a$b$c(1), $1, n$(": {"select", []string{"a$b$c", "n$"}},
		"explain select Ä(1)":      {"explain", []string{"Ä"}},
		"select 1::numeric(3)":     {"select", []string{"numeric"}},
	} {
		got, err := readStatement(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want.calls, got.calls); diff != "" || got.first != want.first {
			t.Errorf("%s: begins with %q; calls (-want +got):\n%s", text, got.first, diff)
		}
	}
	for _, text := range []string{"", "delete from x", "'select'", "1 select", `"select" 1`, "; select 1", "-- select", "/* select", `select U&"a"(1)`,
		`select u&"\0070g"()`, "select \x00", "select \xff", "(", "selectx", "$$select$$"} {
		if _, err := readStatement(text); ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzReadStatement: what is taken begins with a word that only reads, and what
// stands in a string or a comment behind it is not read as a call.
func FuzzReadStatement(f *testing.F) {
	for _, s := range []string{"select f(1)", `select E'\'' "a""b"(`, "select $a$b$a$", "(with x as (", "-- x\nshow y", "/* /* */ */ table z", "select '\\'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, err := readStatement(text)
		if err != nil {
			return
		}
		if !slices.Contains(readers, words.first) {
			t.Errorf("%q begins with %q", text, words.first)
		}
		quoted, err := readStatement("select '" + strings.ReplaceAll(text, "'", "''") + "', f()")
		if err != nil || !slices.Equal(quoted.calls, []string{"f"}) {
			t.Errorf("%q in a string: %v, %v", text, quoted.calls, err)
		}
	})
}

// However it is written, a function that does more than read is not called.
func TestUnsafeCalls(t *testing.T) {
	s := openAt(t, database(t))
	for _, statement := range []string{
		"select pg_terminate_backend(1)",
		"select pg_catalog . PG_Terminate_Backend /* x */ (1)",
		`select "pg_terminate_backend"(1)`,
		`select '\', pg_terminate_backend(1) --'`,
		"select $x$'$x$, pg_cancel_backend(1)",
		"table events union select pg_reload_conf()::text",
		"select query_to_xml('select pg_terminate_backend(1)', true, true, '')",
		"select * from ts_stat('select 1')",
		"select * from pg_ls_dir('.')",
		"select pg_read_binary_file('x')",
		"select lo_export(1, '/tmp/x')",
		"select pg_notify('a', 'b')",
		"explain analyze select pg_switch_wal()",
	} {
		for row, err := range s.Query(t.Context(), statement) {
			if ikigai.KindOf(err) != ikigai.ErrorUsage || !strings.Contains(err.Error(), "calls the function") {
				t.Errorf("%s: %v, %v", statement, row, err)
			}
		}
	}
	for _, statement := range []string{
		"select now(), clock_timestamp(), random(), gen_random_uuid(), pg_database_size(current_database()), pg_total_relation_size('events')",
		"select count(*), max(seq), coalesce(null, 1), cast(1 as numeric(3, 1)), version(), lower('A') from events",
		"show server_version", "table v_turns", "explain (costs off) select 1",
	} {
		rows := 0
		for _, err := range s.Query(t.Context(), statement) {
			if rows++; err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
}

func TestQueryValues(t *testing.T) {
	s := openAt(t, database(t))
	const statement = `select 1::int2 a, -2::int4 b, 3::int8 c, 1.5::float4 d, 'NaN'::float8 <> 'NaN'::float8 e, true f, '\x00ff'::bytea g,
		1.10::numeric h, '{"a":1}'::json i, null::int j, '{1,2}'::int[] k, date '2020-01-02' l, '' m`
	want := []any{int64(1), int64(-2), int64(3), 1.5, false, true, []byte{0, 0xff}, "1.10", `{"a":1}`, nil, "{1,2}", "2020-01-02", ""}
	for row, err := range s.Query(t.Context(), statement) {
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, row.Values); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, err := range s.Query(t.Context(), "select nothing from events") {
		if err == nil || err.Error() != `The statement cannot be run: column "nothing" does not exist (at character 8). Correct it; the tables and views are described in docs/schema.md.` {
			t.Error(err)
		}
	}
}
