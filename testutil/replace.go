package testutil

import "go.uber.org/fx"

// Replace puts v in the place of whatever provides T, everywhere. It belongs at
// the root of the application. (fx.Replace of a value for an interface runs the
// real one without a word.)
func Replace[T any](v T) fx.Option { return fx.Decorate(func() T { return v }) }
