package service

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"mcp-aggregator/modules/store"
)

// MigrateUp brings the database to the form that this program needs, and prints how
// it is then.
func MigrateUp(ctx context.Context, url string, stdout io.Writer) error {
	if err := store.MigrateUp(ctx, url); err != nil {
		return err
	}
	return MigrationStatus(ctx, url, stdout)
}

// MigrateDown undoes the last migration, with what only its form can hold, and prints
// how the database is then.
func MigrateDown(ctx context.Context, url string, stdout io.Writer) error {
	if err := store.MigrateDown(ctx, url); err != nil {
		return err
	}
	return MigrationStatus(ctx, url, stdout)
}

// MigrationStatus prints the migrations that this program knows, and when each was
// made.
func MigrationStatus(ctx context.Context, url string, stdout io.Writer) error {
	all, err := store.Migrations(ctx, url)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MIGRATION\tAPPLIED")
	for _, m := range all {
		applied := "pending"
		if !m.AppliedAt.IsZero() {
			applied = m.AppliedAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\n", m.Name, applied)
	}
	return w.Flush()
}
