// Package clienttest has what is known of each client a second time, put as its maker
// puts it: what it accepts, where its files lie on a real machine, what it makes of a
// text. Every test of a client runs for every row, so that a new client is one more
// row here, beside the one in config/clienttable.
package clienttest
