package service_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil"
)

func TestNothingIsOpenedBeforeTheStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	built := fx.New(service.Compose(service.Options{Listen: "127.0.0.1:0", Database: path, Stderr: testutil.Printed(&testutil.Buffer{})}),
		fx.Invoke(func() error { return errors.New("something else") }))
	if built.Err() == nil {
		t.Error("it can be built")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
}

func TestAFailingStartClosesEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	var server *service.Server
	built := fx.New(service.Compose(service.Options{Listen: "127.0.0.1:0", Database: path, Stderr: testutil.Printed(&testutil.Buffer{})}),
		fx.Populate(&server),
		fx.Invoke(func(l fx.Lifecycle) {
			l.Append(fx.Hook{OnStart: func(context.Context) error { return errors.New("something else") }})
		}))
	if err := built.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("it starts: %v", err)
	}
	again, err := store.Open(t.Context(), path, quiet())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", server.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close() // it could be had
}

func TestAnAddressThatCannotBeHadOpensNoDatabase(t *testing.T) {
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // the test is over
	path := filepath.Join(t.TempDir(), "a.db")
	built := fx.New(service.Compose(service.Options{Listen: taken.Addr().String(), Database: path, Stderr: testutil.Printed(&testutil.Buffer{})}))
	if err := built.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "choose another address") {
		t.Errorf("it starts: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
}

func TestWhoDebugsSeesWhatIsStarted(t *testing.T) {
	for debug, want := range map[bool]int{true: 1, false: 0} {
		s := start(t, testutil.Spawner{}, func(o *service.Options) { o.Debug = debug })
		if got := strings.Count(s.log.String(), `msg="OnStart hook executed"`); min(got, 1) != want {
			t.Errorf("with --debug=%t: %s", debug, s.log.String())
		}
	}
}
