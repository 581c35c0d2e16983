// Package restclient is a client of the REST API, made from its document alone: it
// is what a user of the document gets.

package restclient

//go:generate go tool -modfile=../../tools.mod oapi-codegen -config config.yaml -o client.gen.go ../../modules/rest/testdata/openapi.json
