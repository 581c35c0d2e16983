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

// Migration is one step of the database's form.
type Migration struct {
	Version   int64
	Name      string    // of its file
	AppliedAt time.Time // zero: it is pending
}

// MigrateUp brings the database that url names, as for [Open], to the form that
// this program needs. Several programs may do so at once.
func MigrateUp(ctx context.Context, url string) error {
	return migrate(ctx, url, true, (*database).migrateUp)
}

// MigrateDown undoes the last migration: what only its form could hold is lost.
func MigrateDown(ctx context.Context, url string) error {
	return migrate(ctx, url, true, (*database).migrateDown)
}

// Migrations returns those that this program knows, in order.
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

// checkMigrated refuses a database that is not what this program needs.
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
		err = errors.New("database: its form is older than this program: migrate it first")
	}
	return err
}

// checkVersion refuses a database that a newer program has migrated.
func checkVersion(ctx context.Context, p *goose.Provider) error {
	is, most, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("database: its version: %w", err)
	}
	if is > most {
		return fmt.Errorf("database: its form, version %d, is newer than this program, which knows %d: use the newer program", is, most)
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
