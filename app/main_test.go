package app_test

import (
	"flag"
	"testing"

	"mcp-aggregator/testutil"
)

// stdioProgram is the package of the program whose documents are tested.
const stdioProgram = "mcp-aggregator/cmd/mcp-simple-aggregator"

var update = flag.Bool("update", false, "rewrite what tests generate")

func TestMain(m *testing.M) { testutil.Main(m) }
