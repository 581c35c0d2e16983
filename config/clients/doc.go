// Package clients reads and edits the configuration files of MCP clients.
//
//	clients      clients with known files, and the paths of these      All, Find, System
//	import       their files -> one mcpServers text                    Collection
//	install      their file + our entry -> their file, and back        Install, Uninstall
//	move         their file + ours -> both, with the servers moved     Migration, Restoration
//
// Edits work on bytes and do not read the environment; only the functions of files.go
// access files. Files may contain comments, trailing commas, a byte order mark and CRLF.
// An edit preserves every byte that it does not have to change. No message contains a
// value of a file, because it may be a secret.
package clients
