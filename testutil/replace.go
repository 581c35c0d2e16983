package testutil

import "go.uber.org/fx"

// Replace returns an option that replaces the value of type T with v in the whole
// application. Use it at the root. (fx.Replace does not replace interfaces: it provides
// the dynamic type of the value, and the real implementation stays.)
func Replace[T any](v T) fx.Option { return fx.Decorate(func() T { return v }) }
