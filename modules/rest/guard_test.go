package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-aggregator/modules/rest"
)

func TestWhichAddressesAreThisMachinesOwn(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.8.9.1": true, "localhost": true, "LocalHost:80": true, "[::1]:8080": true, "::1": true, "[::1]": true,
		"[::ffff:127.0.0.1]:1": true,
		"":                     false, ":8080": false, "0.0.0.0:8080": false, "[::]:80": false, "192.168.0.1": false, "example.com:80": false,
		"localhost.example.com": false, "127.0.0.1.example.com": false, "127.1": false, "[::1": false,
	} {
		if got := rest.IsLoopback(address); got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
}

func TestGuard(t *testing.T) {
	const loopback, everywhere = "127.0.0.1:8080", "0.0.0.0:8080"
	for name, tt := range map[string]struct {
		address, method, host string
		header                map[string]string
		want                  int
	}{
		"a program":                                {loopback, "POST", "127.0.0.1:8080", nil, 200},
		"a program that says localhost":            {loopback, "POST", "localhost:8080", nil, 200},
		"a page of the service's own":              {loopback, "POST", "localhost:8080", map[string]string{"Origin": "http://localhost:8080", "Sec-Fetch-Site": "same-origin"}, 200},
		"somebody who types the address":           {loopback, "GET", "localhost:8080", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		"a page of another site that only reads":   {loopback, "GET", "localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 200},
		"a page of another site":                   {loopback, "POST", "localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a page of another site in an old browser": {loopback, "POST", "localhost:8080", map[string]string{"Origin": "http://evil.example"}, 403},
		"a page of another port":                   {loopback, "DELETE", "localhost:8080", map[string]string{"Origin": "http://localhost:3000"}, 403},
		"a name that was made to point here":       {loopback, "GET", "evil.example:8080", nil, 403},
		"a request without a host":                 {loopback, "GET", "", nil, 403},
		"any host where all may listen":            {everywhere, "GET", "aggregator.example", nil, 200},
		"a page of another site, everywhere":       {everywhere, "POST", "aggregator.example", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequestWithContext(t.Context(), tt.method, "http://x/mcp", nil)
			request.Host = tt.host
			for name, value := range tt.header {
				request.Header.Set(name, value)
			}
			answer := httptest.NewRecorder()
			rest.Guard(tt.address, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(answer, request)
			if answer.Code != tt.want {
				t.Errorf("status %d: %s", answer.Code, answer.Body)
			}
		})
	}
}

func TestRequireToken(t *testing.T) {
	for name, tt := range map[string]struct {
		token, header string
		want          int
	}{
		"the token":                         {"right", "Bearer right", 200},
		"the scheme in lower case":          {"right", "bearer right", 200},
		"another token":                     {"right", "Bearer wrong", 401},
		"the token and more":                {"right", "Bearer rightly", 401},
		"half of the token":                 {"right", "Bearer rig", 401},
		"no token":                          {"right", "", 401},
		"an empty token":                    {"right", "Bearer ", 401},
		"another scheme":                    {"right", "Basic right", 401},
		"the token without a scheme":        {"right", "right", 401},
		"nothing where nothing is wanted":   {"", "", 200},
		"something where nothing is wanted": {"", "Bearer x", 200},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			f.options.Token = tt.token
			got := f.request(t, http.MethodGet, records, "", func(r *http.Request) {
				if tt.header != "" {
					r.Header.Set("Authorization", tt.header)
				}
			})
			if got.status != tt.want {
				t.Errorf("status %d: %s", got.status, got.body)
			}
		})
	}
}

func TestEverythingButTheDocumentAndTheStateNeedsTheToken(t *testing.T) {
	f := newFakes()
	withToken(f)
	document := f.request(t, http.MethodGet, "/api/v1/openapi.json", "", nil).body
	for path, item := range get(t, document, "paths").(map[string]any) {
		for method, operation := range item.(map[string]any) {
			_, wants := operation.(map[string]any)["security"].([]any)[0].(map[string]any)["token"]
			got := f.request(t, upper(method), path, "", nil)
			if (got.status == http.StatusUnauthorized) != wants || wants != (path != "/healthz" && path != "/readyz") {
				t.Errorf("%s %s: %d", method, path, got.status)
			}
		}
	}
}
