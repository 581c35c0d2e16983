package clients

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Program is the name of the aggregator's executable and of its npm package.
const Program = "mcp-simple-aggregator"

// launchers are programs that run the program in their arguments.
var launchers = []string{"npx", "bunx", "npm", "pnpm", "yarn", "bun", "cmd", "env", "nohup", "go", "docker", "podman"}

// launcherWords may occur between a launcher and the program.
var launcherWords = []string{"exec", "dlx", "run", "x", "/c", "/C"}

// startsAggregator reports whether a command is this program, whose path is self, or
// runs it through launchers.
func startsAggregator(command string, args []string, self string) bool {
	if isProgram(command) || self != "" && command == self {
		return true
	}
	launcher := programName(command)
	for _, arg := range args {
		switch {
		case !slices.Contains(launchers, launcher):
			return false
		case isProgram(arg):
			return true
		case slices.Contains(launchers, programName(arg)):
			launcher = programName(arg)
		case slices.Contains(launcherWords, arg), strings.HasPrefix(arg, "-"), strings.Contains(arg, "="):
		default:
			return false
		}
	}
	return false
}

func isProgram(word string) bool { return programName(word) == Program }

// programName returns the last element of a path without the suffixes of Windows, npm
// and container images.
func programName(word string) string {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	if at := strings.IndexAny(name, "@:"); at > 0 {
		name = name[:at]
	}
	switch extension := strings.ToLower(filepath.Ext(name)); extension {
	case ".exe", ".cmd", ".bat", ".ps1":
		return name[:len(name)-len(extension)]
	}
	return name
}

// flag is a flag or another word of a command line.
type flag struct {
	name  string // with its dashes; "" for a word that is not a flag
	value string
	words []string // the words that it consists of
}

// boolFlags are the flags of serve without a value.
var boolFlags = []string{"--lean", "--inherit-env", "--debug"}

// parseFlags parses a command line of this program.
func parseFlags(args []string) (flags []flag) {
	for len(args) > 0 {
		f := flag{words: args[:1]}
		if strings.HasPrefix(args[0], "--") {
			var joined bool
			f.name, f.value, joined = strings.Cut(args[0], "=")
			if !joined && !slices.Contains(boolFlags, f.name) && len(args) > 1 {
				f.value, f.words = args[1], args[:2]
			}
		}
		flags, args = append(flags, f), args[len(f.words):]
	}
	return flags
}

// flagValues returns the value of each occurrence of a flag.
func flagValues(flags []flag, name string) (values []string) {
	for _, f := range flags {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

func flagWords(flags []flag, name string) (words []string) {
	for _, f := range flags {
		if f.name == name {
			words = append(words, f.words...)
		}
	}
	return words
}

// mergeArgs returns the existing arguments with the flags in given replaced or added,
// and the names of the other flags, which are kept.
func mergeArgs(standing, given []string) (args, kept []string) {
	old, anew := parseFlags(standing), parseFlags(given)
	seen := map[string]bool{}
	for _, f := range old {
		switch values := flagValues(anew, f.name); {
		case f.name == "":
			args = append(args, f.words...)
			continue
		case seen[f.name]:
			continue
		case values == nil:
			kept = append(kept, f.name)
			args = append(args, flagWords(old, f.name)...)
		case slices.Equal(values, flagValues(old, f.name)):
			args = append(args, flagWords(old, f.name)...)
		default:
			args = append(args, flagWords(anew, f.name)...)
		}
		seen[f.name] = true
	}
	for _, f := range anew {
		if !seen[f.name] && (f.name != "" || !slices.Contains(args, f.words[0])) {
			args = append(args, f.words...)
		}
	}
	return args, kept
}

// OnlyKeys returns the keys of the servers that --only chooses in a command line. Like
// kong it splits values at commas that have no backslash before them.
func OnlyKeys(args []string) (keys []string) {
	for _, value := range flagValues(parseFlags(args), "--only") {
		const escaped = "\x00" // cannot occur in an argument
		for key := range strings.SplitSeq(strings.ReplaceAll(value, `\,`, escaped), ",") {
			keys = append(keys, strings.ReplaceAll(key, escaped, ","))
		}
	}
	return keys
}

// configFlag returns the value of --config, "" if there is none.
func configFlag(args []string) string {
	if files := flagValues(parseFlags(args), "--config"); files != nil {
		return files[len(files)-1]
	}
	return ""
}

// aggregatorArgs returns the arguments of the aggregator, which may follow a launcher and
// the name of the program.
func aggregatorArgs(command string, args []string, self string) []string {
	if isProgram(command) || self != "" && command == self {
		return args
	}
	own := args[slices.IndexFunc(args, isProgram)+1:]
	if len(own) > 0 && own[0] == "--" {
		own = own[1:]
	}
	return own
}

// programOf returns the command and the arguments of an entry.
func programOf(entry *hujson.Value) (command string, args []string) {
	if v := entry.Find("/command"); v != nil {
		command = literalText(v)
	}
	if v := entry.Find("/args"); v != nil {
		if list, ok := v.Value.(*hujson.Array); ok {
			for i := range list.Elements {
				args = append(args, literalText(&list.Elements[i]))
			}
		}
	}
	return command, args
}
