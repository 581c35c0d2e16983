// Package doctor finds problems of a set of MCP servers, their tools and the machine, and
// says where they are and how to fix them.
//
// [Examine] is a pure function from an [Input] to [Finding] values in a stable order. It
// starts nothing and reads only what the functions of the input return, and no finding
// contains the value of an environment variable. What the APIs of models reject is a table
// whose rows name their sources; what clients do is in config/clienttable.
package doctor
