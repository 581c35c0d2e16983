// Package clients knows what MCP clients keep on disk, and edits it.
//
//	table        the clients with files, and where those lie           All, Find, System
//	import       their files -> one mcpServers text                    Collection
//	install      their file + our entry -> their file, and back        Install, Uninstall
//	move         their file, ours -> both, servers carried over        Move
//
// Everything here works on bytes: nothing is read from the environment, and
// only [Write] touches a file. Files may hold comments, trailing commas, a
// byte-order mark and CRLF; an edit leaves every byte alone that it does not
// have to touch. No message holds a value of a file, which may be a secret.
package clients
