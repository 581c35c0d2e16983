package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// Migration is one version of the schema.
type Migration struct {
	Version   int64
	Name      string    // the name of its file
	AppliedAt time.Time // zero if it is pending
}

// MigrateUp migrates the database that url names, as for [Open], to the schema that this
// program needs. Several programs may call it at once.
func MigrateUp(ctx context.Context, url string) error {
	return migrate(ctx, url, true, (*database).migrateUp)
}

// MigrateDown reverts the last migration. Data that only its schema can hold is lost.
func MigrateDown(ctx context.Context, url string) error {
	return migrate(ctx, url, true, (*database).migrateDown)
}

// Migrations returns the migrations that this program knows, in order.
func Migrations(ctx context.Context, url string) (all []Migration, err error) {
	err = migrate(ctx, url, false, func(d *database, ctx context.Context) error {
		all, err = d.listMigrations(ctx)
		return err
	})
	return all, err
}

func migrate(ctx context.Context, url string, exclusive bool, do func(*database, context.Context) error) error {
	d, err := openDatabase(ctx, url, exclusive)
	if err != nil {
		return err
	}
	return errors.Join(do(d, ctx), d.close())
}

func (d *database) migrationProvider() (*goose.Provider, error) {
	folder := "migrations/sqlite"
	if d.dialect == goose.DialectPostgres {
		folder = "migrations/postgres"
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return nil, err
	}
	options := append([]goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}, d.options...)
	return goose.NewProvider(d.dialect, d.write, files, options...)
}

func (d *database) migrateUp(ctx context.Context) error {
	// A provider remembers a failure to make its table: each attempt has its own.
	return retryBusy(ctx, func() error {
		p, err := d.migrationProvider()
		if err != nil {
			return err
		}
		if err := checkVersion(ctx, p); err != nil {
			return err
		}
		if _, err := p.Up(ctx); err != nil {
			return fmt.Errorf("database: its migration: %w", err)
		}
		return nil
	})
}

func (d *database) migrateDown(ctx context.Context) error {
	p, err := d.migrationProvider()
	if err != nil {
		return err
	}
	if err := checkVersion(ctx, p); err != nil {
		return err
	}
	_, err = p.Down(ctx)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return errors.New("database: no migration is left to undo")
	}
	return err
}

// checkMigrated returns an error if the schema is not the one that this program needs.
func (d *database) checkMigrated(ctx context.Context) error {
	p, err := d.migrationProvider()
	if err != nil {
		return err
	}
	if err := checkVersion(ctx, p); err != nil {
		return err
	}
	pending, err := p.HasPending(ctx)
	if err == nil && pending {
		err = errors.New("database: its schema is older than this program: migrate it first")
	}
	return err
}

// checkVersion returns an error if a newer program has migrated the database.
func checkVersion(ctx context.Context, p *goose.Provider) error {
	is, most, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("database: its version: %w", err)
	}
	if is > most {
		return fmt.Errorf("database: its schema, version %d, is newer than this program, which knows %d: use the newer program", is, most)
	}
	return nil
}

func (d *database) listMigrations(ctx context.Context) (all []Migration, err error) {
	p, err := d.migrationProvider()
	if err != nil {
		return nil, err
	}
	if err := checkVersion(ctx, p); err != nil {
		return nil, err
	}
	statuses, err := p.Status(ctx)
	for _, s := range statuses {
		all = append(all, Migration{Version: s.Source.Version, Name: s.Source.Path, AppliedAt: s.AppliedAt})
	}
	return all, err
}
