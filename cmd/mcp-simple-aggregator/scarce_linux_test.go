package main_test

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// Servers that cannot be started are reported, and the others run.
func TestTooFewDescriptorsForEveryServer(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{40, 60} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			p := startMode{before: fmt.Sprintf("ulimit -n %d", limit)}.serve(t, twenty(`"command":"fakechild"`))
			p.expectSomeRun("too many open files")
		})
	}
}

// Root has no limit of processes, so another user runs the program.
func TestTooFewProcessesForEveryServer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prlimit"); err != nil || os.Geteuid() != 0 {
		t.Skipf("only root can be another user, with prlimit: %v", err)
	}
	folder := worldReadable(t)
	script := filepath.Join(folder, "server.sh")
	noError(t, os.WriteFile(script, []byte(shellServer), 0o644))
	m := startMode{
		program: filepath.Join(folder, "mcp-simple-aggregator"),
		before:  coverAnyUser(t, folder) + "; export GOMAXPROCS=2; prlimit --nproc=26:26 --pid $$",
		user:    100_000 + os.Getpid(), folder: folder,
	}
	m.serve(t, twenty(fmt.Sprintf(`"command":"sh","args":[%q]`, script))).expectSomeRun("too many processes")
}

// worldReadable returns a folder that every user may read, with the program in it.
func worldReadable(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	noError(t, os.Chmod(filepath.Dir(folder), 0o755))
	self, err := os.Executable()
	noError(t, err)
	binary, err := os.ReadFile(self)
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(folder, "mcp-simple-aggregator"), binary, 0o755))
	return folder
}

// coverAnyUser returns shell commands after which a program writes its coverage, with go
// test -cover, into a folder that every user may write.
func coverAnyUser(t *testing.T, folder string) (before string) {
	t.Helper()
	counts := filepath.Join(folder, "counts")
	noError(t, os.Mkdir(counts, 0o700))
	noError(t, os.Chmod(counts, 0o777))
	return "export GOCOVERDIR=" + counts
}

// shellServer is a server that is one process with one thread.
const shellServer = `while read -r line; do
	id=${line#*'"id":'}; id=${id%%[,\}]*}
	case $line in
	*'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
	*'"tools/list"'*) result='{"tools":[{"name":"echo"}]}' ;;
	*'"tools/call"'*) result='{"name":"echo"}' ;;
	*) continue ;;
	esac
	echo '{"jsonrpc":"2.0","id":'$id',"result":'"$result"'}'
done
`

const many = 20

// twenty returns twenty servers with the same members.
func twenty(members string) string {
	var entries []string
	for n := range many {
		entries = append(entries, fmt.Sprintf(`"s%02d":{%s}`, n, members))
	}
	return strings.Join(entries, ",")
}

// expectSomeRun fails the test unless some of twenty servers run and the others are
// reported with that reason.
func (p *process) expectSomeRun(reason string) {
	p.t.Helper()
	p.open()
	p.send(listTools)
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	noError(p.t, json.Unmarshal([]byte(p.next()), &list))
	told := make(map[string]int)
	for id, tool := range list.Result.Tools {
		told[strings.TrimSuffix(tool.Name, ":echo")]++
		p.request(callOf(100+id, tool.Name), result(100+id, `{"name":"echo"}`))
	}
	running := len(told)
	noError(p.t, p.stdin.Close())
	p.awaitExit(0)
	for line := range strings.Lines(p.stderr.String()) {
		_, rest, _ := strings.Cut(line, " server=")
		key, why, _ := strings.Cut(rest, " ")
		told[key]++
		if !strings.HasPrefix(why, "phase=startup ") || !strings.Contains(why, reason) {
			p.t.Errorf("reported: %s", line)
		}
	}
	p.t.Logf("%d of %d servers run", running, many)
	if running == 0 || running == many || len(told) != many {
		p.t.Errorf("%d of %d servers run; standard error:\n%s", running, many, p.stderr.String())
	}
	for key, times := range told {
		if times != 1 {
			p.t.Errorf("%s is told of %d times", key, times)
		}
	}
}

func TestServersThatCannotBeStartedAreReportedAndTheOthersRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program := filepath.Join(folder, "foreign")
	noError(t, os.WriteFile(program, foreignProgram(), 0o700))
	noError(t, os.WriteFile(filepath.Join(folder, "plain"), nil, 0o600))
	p := serve(t, fmt.Sprintf(`"nowhere":{"command":"fakechild","cwd":"/no/such/folder"},"plain":{"command":"./plain","cwd":%[1]q},`+
		`"foreign":{"command":"./foreign","cwd":%[1]q},"good":{"command":"fakechild"}`, folder), "check")
	want := []string{
		"nowhere  failed   0      0       -",
		"plain    failed   0      0       -",
		"foreign  failed   0      0       -",
		"good     running  1",
		"",
		"about 13 tokens (estimated as bytes of JSON / 4); the biggest tools: good:echo 13",
		"",
		"findings",
		"  error    mcpServers.nowhere: the server did not run: cwd \"/no/such/folder\" does not exist; ",
		"  error    mcpServers.plain: the server did not run: command \"./plain\" is not executable; ",
		"  error    mcpServers.foreign: the server did not run: command \"./foreign\" is not a program for this machine (wrong architecture, or a script without #! line); ",
	}
	if got := p.next(); !strings.HasPrefix(got, "SERVER") {
		t.Errorf("got %s", got)
	}
	for _, line := range want {
		got := p.next()
		testutil.Record(got)
		if !strings.HasPrefix(got, line) {
			t.Errorf("got %s\nwant %s", got, line)
		}
	}
	p.awaitExit(1)
	if got := p.stderr.String(); got != "" {
		t.Errorf("standard error:\n%s", got)
	}
}

// foreignProgram returns the header of a program for another architecture.
func foreignProgram() []byte {
	machine := elf.EM_S390
	if runtime.GOARCH == "s390x" {
		machine = elf.EM_X86_64
	}
	header := make([]byte, 4096)
	copy(header, elf.ELFMAG)
	header[elf.EI_CLASS], header[elf.EI_DATA], header[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	header[16], header[18], header[20] = byte(elf.ET_EXEC), byte(machine), byte(elf.EV_CURRENT)
	return header
}
