package setup_test

import (
	"testing"

	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }
