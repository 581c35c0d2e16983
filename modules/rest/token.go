package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// RequireToken lets only requests with Authorization: Bearer TOKEN pass to next;
// all of them if the token is empty. Others are answered with 401 and a problem.
func RequireToken(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	passes := HasToken(token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !passes(r) {
			newProblem(unauthorized, noToken).write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// HasToken returns what tells whether a request has the token; all do if it is empty.
func HasToken(token string) func(*http.Request) bool {
	if token == "" {
		return func(*http.Request) bool { return true }
	}
	// Sums have one length: comparing them takes the same time for all tokens.
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) bool {
		got := sha256.Sum256([]byte(bearer(r.Header)))
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
}

// bearer returns the token of a request, empty if it has none (RFC 6750, 2.1).
func bearer(header http.Header) string {
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
