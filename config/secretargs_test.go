package config_test

import (
	"slices"
	"testing"

	"mcp-aggregator/config"
)

func TestArgumentsThatSayTheyAreSecretAre(t *testing.T) {
	tests := []struct {
		name          string
		args, secrets []string
	}{
		{"behind their flag", []string{"-y", "server", "--token", "sk-1", "--port", "80"}, []string{"sk-1"}},
		{"with their flag", []string{"--api-key=sk-1", "--url=x"}, []string{"sk-1"}},
		{"with a value that holds =", []string{"--password=a=b"}, []string{"a=b"}},
		{"in any case", []string{"--GITHUB_TOKEN", "sk-1", "-dbPassword", "pw"}, []string{"sk-1", "pw"}},
		{"a flag behind a flag is no value", []string{"--no-auth", "--verbose"}, nil},
		{"a flag at the end has none", []string{"--token"}, nil},
		{"what is no flag", []string{"token", "key=x"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := &config.File{Servers: []config.Entry{{Key: "a", Command: "x", Args: test.args}}}
			resolved, err := config.NewExpander(config.Env{}).Expand(file)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Sorted(slices.Values(resolved.Servers[0].Secrets))
			if want := slices.Sorted(slices.Values(test.secrets)); !slices.Equal(got, want) {
				t.Errorf("secrets %q, want %q", got, want)
			}
		})
	}
}
