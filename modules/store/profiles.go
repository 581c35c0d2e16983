package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"mcp-aggregator/modules/profiles"
)

// profileColumns are all columns of a profile, in the order of profileValues and
// scanProfile.
const profileColumns = "name, description, servers, allow, deny, pin, mode, created_at, updated_at"

// Profiles implements [profiles.Store].
func (s *Store) Profiles(ctx context.Context) ([]profiles.Profile, error) {
	ctx, end, err := s.startQuery(ctx, useTime)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.database.read.QueryContext(ctx, "SELECT "+profileColumns+" FROM profiles")
	if err != nil {
		return nil, err
	}
	return scanAll(rows, scanProfile)
}

// CreateProfile implements [profiles.Store].
func (s *Store) CreateProfile(ctx context.Context, p profiles.Profile) error {
	values, err := profileValues(normalizeProfile(p))
	if err != nil {
		return err
	}
	err = s.inTransaction(ctx, useTime, func(tx *sql.Tx) error {
		const insert = "INSERT INTO profiles (" + profileColumns + ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
		if _, err := tx.ExecContext(ctx, insert, values...); err != nil {
			return err
		}
		return s.notifyReplicas(ctx, tx, profileTopic)
	})
	if isUniqueViolation(err, "profiles", "name") {
		return profiles.ErrNameTaken
	}
	return err
}

// UpdateProfile implements [profiles.Store]. The transaction, and with it change, is
// retried if the database requires that.
func (s *Store) UpdateProfile(ctx context.Context, name string, change func(*profiles.Profile) error) (after profiles.Profile, err error) {
	err = s.inTransaction(ctx, useTime, func(tx *sql.Tx) error {
		before, err := s.selectProfile(ctx, tx, name)
		if err != nil {
			return err
		}
		after = before
		if err := change(&after); err != nil {
			return err
		}
		after = normalizeProfile(after)
		after.Name, after.CreatedAt = before.Name, before.CreatedAt
		if after.Equal(before) {
			after = before
			return nil
		}
		return s.writeProfile(ctx, tx, after)
	})
	if err != nil {
		return profiles.Profile{}, err
	}
	return after, nil
}

func (s *Store) writeProfile(ctx context.Context, tx *sql.Tx, p profiles.Profile) error {
	values, err := profileValues(p)
	if err != nil {
		return err
	}
	const update = "UPDATE profiles SET (" + profileColumns + ") = ($1, $2, $3, $4, $5, $6, $7, $8, $9) WHERE name = $1"
	if _, err := tx.ExecContext(ctx, update, values...); err != nil {
		return err
	}
	return s.notifyReplicas(ctx, tx, profileTopic)
}

// DeleteProfile implements [profiles.Store].
func (s *Store) DeleteProfile(ctx context.Context, name string) error {
	return s.inTransaction(ctx, useTime, func(tx *sql.Tx) error {
		if _, err := s.selectProfile(ctx, tx, name); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM profiles WHERE name = $1", name); err != nil {
			return err
		}
		return s.notifyReplicas(ctx, tx, profileTopic)
	})
}

// ProfileChanges implements [profiles.Store].
func (s *Store) ProfileChanges() <-chan struct{} { return s.cluster.changesOf(profileTopic) }

// selectProfile reads the profile with that name, and locks it until the transaction ends.
func (s *Store) selectProfile(ctx context.Context, tx *sql.Tx, name string) (profiles.Profile, error) {
	if storedText(name) != name {
		return profiles.Profile{}, profiles.ErrUnknown
	}
	query := "SELECT " + profileColumns + " FROM profiles WHERE name = $1" + s.database.forUpdate
	p, err := scanProfile(tx.QueryRowContext(ctx, query, name).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return p, profiles.ErrUnknown
	}
	return p, err
}

// normalizeProfile returns the profile as it is read back.
func normalizeProfile(p profiles.Profile) profiles.Profile {
	p.Description = storedText(p.Description)
	p.CreatedAt, p.UpdatedAt = storedTime(p.CreatedAt), storedTime(p.UpdatedAt)
	for _, list := range []*[]string{&p.Servers, &p.Allow, &p.Deny, &p.Pin} {
		var texts []string
		for _, text := range *list {
			texts = append(texts, storedText(text))
		}
		*list = texts
	}
	return p
}

// profileValues returns the values of profileColumns.
func profileValues(p profiles.Profile) ([]any, error) {
	values := []any{p.Name, p.Description}
	for _, list := range [][]string{p.Servers, p.Allow, p.Deny, p.Pin} {
		text, err := json.Marshal(append([]string{}, list...)) // [] for nil
		if err != nil {
			return nil, err
		}
		values = append(values, string(text))
	}
	return append(values, string(p.Mode), timeValue(p.CreatedAt), timeValue(p.UpdatedAt)), nil
}

// scanProfile reads a profile from profileColumns.
func scanProfile(scan func(...any) error) (p profiles.Profile, err error) {
	err = scan(
		&p.Name, &p.Description, listScanner{&p.Servers}, listScanner{&p.Allow}, listScanner{&p.Deny}, listScanner{&p.Pin},
		&p.Mode, timeScanner{&p.CreatedAt}, timeScanner{&p.UpdatedAt},
	)
	return p, err
}

// listScanner scans a column with a JSON array of texts. An empty one becomes nil.
type listScanner struct{ list *[]string }

// Scan implements [database/sql.Scanner].
func (l listScanner) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%T is not a list", value)
	}
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return fmt.Errorf("a list: %w", err)
	}
	if *l.list = list; len(list) == 0 {
		*l.list = nil
	}
	return nil
}
