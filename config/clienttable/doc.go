// Package clienttable is the one table of what is known of MCP clients: how they are
// recognized, which names and schemas of tools they accept, their limits, and where
// their files lie. It is data; what to do about it is up to those who read it:
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
// Only facts with a source are added: the maker's documentation or source code, or an
// issue in which somebody met it. What is not known is left out; the client is then
// treated like any other.
//
//  1. Write its row in table.go. [Client], [NamingRule], [Models], [Limits] and
//     [Config] say for each member what it means and where to look it up.
//  2. Write down the same facts a second time, as the client's maker puts them, in
//     testutil/clienttest: every test of a client runs for every row of it.
//  3. Bring the documents and the recorded outputs up to date, as docs/contributing.md
//     says: tests print what they lack.
//
// A client whose file keeps servers in a way that no other does (another format,
// another syntax of variables) needs code in config/clients first.
package clienttable
