// Package clienttable is the one table of facts about MCP clients: how they are
// recognized, which tool names and schemas they accept, their limits, and the paths and
// the format of their files. It is only data; these packages act on it:
//
//	Key, Title       the command line, findings, messages
//	Names, Naming    modules/registry: aliases for tools' names; app: check
//	Shell, Models,
//	ItemsRequired,
//	Limits           modules/doctor: which findings concern the client
//	Config           config/clients: import, install, uninstall
//
// # Adding a client
//
// Add only facts with a source: the maker's documentation or source code, or an issue
// that reports it. Leave out what is not known; the client is then treated like any other.
//
//  1. Add its row to table.go. [Client], [NamingRule], [Models], [Limits] and [Config]
//     document each field and where to look it up.
//  2. Add the same facts, as the client's maker states them, to testutil/clienttest:
//     every test of clients runs for every row there.
//  3. Update the documents and the golden files, as docs/contributing.md says. Tests
//     print what is missing.
//
// A client whose file stores servers in a new way (another format, another syntax of
// variables) needs code in config/clients first.
package clienttable
