package cli

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// buffered has write write to w in large pieces.
func buffered(w io.Writer, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, 64<<10)
	return errors.Join(write(out), out.Flush())
}

// sqlText returns a value as a table shows it.
func sqlText(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []byte:
		return sqlBytes(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func sqlBytes(b []byte) string { return "x'" + hex.EncodeToString(b) + "'" }

// writeJSONRows writes each row as an object on a line, its columns in order.
func writeJSONRows(w io.Writer, rows iter.Seq2[ikigai.Row, error]) error {
	for row, err := range rows {
		if err != nil {
			return err
		}
		line := []byte("{")
		for i, v := range row.Values {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(append(line, jsonText(row.Columns[i])...), ':'), sqlJSON(v)...)
		}
		if _, err := w.Write(transcript.Visible(append(line, "}\n"...))); err != nil {
			return err
		}
	}
	return nil
}

// sqlJSON returns a value as JSON. Numbers that JSON does not have are text.
func sqlJSON(v any) []byte {
	switch v := v.(type) {
	case []byte:
		return jsonText(sqlBytes(v))
	case string:
		return jsonText(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return jsonText(sqlText(v))
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return jsonText(sqlText(v))
	}
	return text
}

// jsonText returns text as a JSON string.
func jsonText(s string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return []byte(`""`) // a string can always be encoded
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// writeCSVRows writes rows as CSV behind a head with the names of the columns.
func writeCSVRows(w io.Writer, rows iter.Seq2[ikigai.Row, error]) error {
	first := true
	for row, err := range rows {
		if err != nil {
			return err
		}
		if first {
			head := make([]any, len(row.Columns))
			for i, name := range row.Columns {
				head[i] = name
			}
			if err := writeCSVRow(w, head); err != nil {
				return err
			}
			first = false
		}
		if err := writeCSVRow(w, row.Values); err != nil {
			return err
		}
	}
	return nil
}

func writeCSVRow(w io.Writer, values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = csvCell(v)
	}
	_, err := io.WriteString(w, strings.Join(cells, ",")+"\n")
	return err
}

// csvCell returns a value as CSV has it: NULL is nothing, and an empty text is
// quoted, so that the two differ.
func csvCell(v any) string {
	if v == nil {
		return ""
	}
	text := sqlText(v)
	if text != "" && !strings.ContainsAny(text, "\",\r\n") && text[0] != ' ' && text[len(text)-1] != ' ' {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}
