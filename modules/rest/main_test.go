package rest_test

import (
	"log/slog"
	"testing"

	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"

	"mcp-aggregator/modules/rest"
	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

func TestTheModuleProvidesTheAPI(t *testing.T) {
	f := newFakes()
	var api *rest.API
	fxtest.New(t, rest.Module, fx.Populate(&api), fx.NopLogger, fx.Supply(f.options, slog.New(slog.DiscardHandler)), fx.Provide(
		func() rest.Servers { return f.servers },
		func() rest.Connections { return f.connections },
		func() rest.Tools { return f.tools },
		func() rest.Readiness { return f.readiness },
	)).RequireStart().RequireStop()
	if api == nil {
		t.Error("there is none")
	}
}
