package redact_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcp-aggregator/modules/redact"
)

func BenchmarkRedact(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	env := map[string]string{}
	for i := range 200 {
		env[fmt.Sprintf("KEY_%d", i)] = fmt.Sprintf("sk-proj-%016x%016x", random.Uint64(), random.Uint64())
	}
	secrets := redact.Connection{Env: env}.Secrets()
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			redact.New(secrets)
		}
	})
	r := redact.New(secrets)
	for name, line := range map[string]string{
		"log":      "2026-01-31T08:30:02Z ERROR the server answered with 401: wrong key sk-proj-01234567 in a request of a client\n",
		"prefixes": "sk-proj-",
		"hostile":  `%25%2525&amp;amp;\\\\\u0025&#37;`,
		"secrets":  env["KEY_7"] + " ",
	} {
		text := strings.Repeat(line, 1+64<<10/len(line))[:64<<10]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Redact(text)
			}
		})
	}
}
