// Package clienttest has the facts about each client a second time, as its maker states
// them: the names that it accepts, the paths of its files on a real machine, the
// expansion of a text. Every test of clients runs for every row, so that a new client
// needs one row here and one in config/clienttable.
package clienttest
