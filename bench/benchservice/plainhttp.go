package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// get returns the body at a path. Measurements in microseconds use a conn instead.
func get(address, path string, into any) error {
	response, err := http.Get("http://" + address + path)
	if err != nil {
		return err
	}
	return read(response, http.StatusOK, into)
}

func read(response *http.Response, status int, into any) error {
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != status {
		return fmt.Errorf("%s: %.500s", response.Status, text)
	}
	return json.Unmarshal(text, into)
}

// initialize starts an MCP session and returns its id, which is empty for a stateless
// server.
func initialize(address string) (session string, err error) {
	request, err := http.NewRequest(http.MethodPost, "http://"+address+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	return response.Header.Get("Mcp-Session-Id"), read(response, http.StatusOK, new(any))
}
