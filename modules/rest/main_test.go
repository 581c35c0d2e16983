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
	fxtest.New(t, rest.Module, fx.Populate(&api), fx.NopLogger,
		fx.Supply(f.deps(), f.options, slog.New(slog.DiscardHandler))).RequireStart().RequireStop()
	if api == nil {
		t.Error("there is none")
	}
}
