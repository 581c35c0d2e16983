package service

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"mcp-aggregator/modules/store"
)

// MigrateUp makes all pending migrations and prints the status.
func MigrateUp(ctx context.Context, url string, stdout io.Writer) error {
	if err := store.MigrateUp(ctx, url); err != nil {
		return err
	}
	return MigrationStatus(ctx, url, stdout)
}

// MigrateDown undoes the last migration, which loses the data that only its schema can
// hold, and prints the status.
func MigrateDown(ctx context.Context, url string, stdout io.Writer) error {
	if err := store.MigrateDown(ctx, url); err != nil {
		return err
	}
	return MigrationStatus(ctx, url, stdout)
}

// MigrationStatus prints all migrations and when each was made.
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
