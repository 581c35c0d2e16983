package main_test

import (
	"io"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// Without this a search for the canary could pass because no server has it.
func TestEveryFakeServerHasSecrets(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-offer","args,env"]}`)
	p.openReady(offered("a", "args", "env"))
	for _, tool := range []string{"args", "env"} {
		p.send(callOf(3, "a:"+tool))
		if got := p.next(); !strings.Contains(got, testutil.Canary) {
			t.Errorf("%s: %s", tool, got)
		}
	}
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}

// The server sends its secrets wherever the program might repeat them.
func TestSecretsThatAServerSaysAreHidden(t *testing.T) {
	t.Parallel()
	const said = `"-leak","-noise","${XDG_TEST_CANARY}"`
	for name, server := range map[string]string{
		"at the start":             said + `,"-when","start","-exit","7"`,
		"instead of initialize":    said + `,"-when","initialize","-exit","7"`,
		"as its version":           said + `,"-initialize","{\"protocolVersion\":\"${XDG_TEST_CANARY}\"}"`,
		"as the initialize result": said + `,"-initialize","\"${XDG_TEST_CANARY}\""`,
		"instead of the list":      said + `,"-tools","\"${XDG_TEST_CANARY}\""`,
		"as an id":                 said + `,"-raw","{\"jsonrpc\":\"2.0\",\"id\":\"${XDG_TEST_CANARY}\",\"result\":1}\n","-when","tools/list"`,
	} {
		for _, flag := range []string{"--json", "--debug"} {
			t.Run(name+", "+flag, func(t *testing.T) {
				t.Parallel()
				p := serve(t, `"a":{"command":"fakechild","args":[`+server+`]}`, "check", flag)
				report, err := io.ReadAll(p.stdout)
				noError(t, err)
				testutil.Record(string(report))
				p.awaitExit(1)
				if got := p.stderr.String(); !strings.Contains(got, "[redacted]") {
					t.Errorf("standard error:\n%s", got)
				}
			})
		}
	}
}
