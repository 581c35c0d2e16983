// Package doctor judges what is known of a set of MCP servers, of their tools
// and of the machine, and says what is off: what, where, and how to fix it.
//
// [Examine] is a pure function from a [Input] to [Finding] values in a stable
// order. It starts noAction and reads noAction but what the input's functions
// return, and no finding contains the value of an environment variable. Each
// check has a file of its own; what the APIs of models refuse stands there in a
// table, each row with its source, and what clients do in config/clienttable.
package doctor
