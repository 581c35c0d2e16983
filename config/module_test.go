package config_test

import (
	"errors"
	"testing"

	"go.uber.org/fx"

	"mcp-aggregator/config"
)

func populate(path config.Path, env config.Env, targets ...any) error {
	return fx.New(
		fx.NopLogger,
		config.Module,
		fx.Supply(path, config.Only(nil), env),
		fx.Populate(targets...),
	).Err()
}

func TestTheModuleProvidesConfigAndChainOfPathAndEnv(t *testing.T) {
	folder := realFolder(t)
	write(t, "c.json", oneServer(`"command": "$PROGRAM"`))
	var (
		loader   *config.Loader
		expander *config.Expander
		file     *config.File
		resolved *config.McpConfig
		chain    config.Chain
	)
	err := populate("c.json", config.NewEnv([]string{"PROGRAM=x"}), &loader, &expander, &file, &resolved, &chain)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, resolved, &config.McpConfig{
		Path:    folder + "/c.json",
		Servers: []config.ServerConfig{{Key: "a", Command: "x", Secrets: []string{"x"}}},
	})
	wantChain(t, chain, folder+"/c.json")
}

func TestFxReturnsTheProblems(t *testing.T) {
	inFolder(t)
	write(t, "c.json", oneServer(`"command": "$NOPE"`))
	var (
		resolved *config.McpConfig
		chain    config.Chain
	)
	env := config.NewEnv(nil)
	for path, want := range map[config.Path]config.Code{"no.json": config.FileNotFound, "c.json": config.MissingEnvVar} {
		problems, ok := errors.AsType[config.Errors](populate(path, env, &resolved))
		if !ok || len(problems) != 1 || problems[0].Code != want {
			t.Errorf("%s: problems %v", path, problems)
		}
	}
	up := mustChain(t, "c.json", env)
	problems, _ := errors.AsType[config.Errors](populate("c.json", below(up.Value()), &chain))
	if len(problems) != 1 || problems[0].Code != config.CircularConfig {
		t.Errorf("problems %v", problems)
	}
}
