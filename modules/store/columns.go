package store

import (
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// timeLayout is how SQLite stores a time. PostgreSQL reads it, too.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// timeValue returns the value of a time column: NULL for the zero time.
func timeValue(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(timeLayout)
}

// timeScanner scans a time column of either database.
type timeScanner struct{ at *time.Time }

// Scan implements [database/sql.Scanner].
func (i timeScanner) Scan(value any) (err error) {
	switch value := value.(type) {
	case nil:
		*i.at = time.Time{}
	case time.Time:
		*i.at = value.UTC()
	case string:
		*i.at, err = time.Parse(timeLayout, value)
	default:
		err = fmt.Errorf("%T is not a time", value)
	}
	return err
}

// storedTime returns at as it is read back.
func storedTime(at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Microsecond)
}

// codec encodes the columns that hold secrets, and decodes them. Encoding the same text
// twice may give different results.
type codec struct {
	encode, decode func(text string) (string, error)
}

// plainCodec returns the codec that stores texts as they are.
func plainCodec() codec {
	identity := func(text string) (string, error) { return text, nil }
	return codec{identity, identity}
}

// storedText returns text as a column can hold it.
func storedText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// isUUID reports whether text is a UUID in the form that both databases return.
func isUUID(text string) bool {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) != len(shape) {
		return false
	}
	for i := range len(shape) {
		if shape[i] == '-' && text[i] != '-' || shape[i] == 'x' && !strings.Contains("0123456789abcdef", text[i:i+1]) {
			return false
		}
	}
	return true
}

// scanAll reads all rows.
func scanAll[T any](rows *sql.Rows, one func(scan func(...any) error) (T, error)) (all []T, err error) {
	defer rows.Close()
	for rows.Next() {
		item, err := one(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, rows.Err()
}
