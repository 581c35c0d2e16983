package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Guard protects a service that listens at address, such as 127.0.0.1:8080, from web pages
// of other sites: a user's browser can reach the service, and the pages must not use it.
// It answers with 403 and a problem:
//
//   - cross-origin requests of browsers, except for those that only read, whose responses
//     the browser does not reveal ([http.CrossOriginProtection]);
//   - if address is a loopback address, requests for any other Host, such as the name of a
//     site that resolves to it (DNS rebinding).
func Guard(address string, next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(problemHandler(crossOrigin, detailCrossOrigin))
	next = protection.Handler(next)
	if !IsLoopback(address) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			newProblem(forbiddenHost, detailForbiddenHost).write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func problemHandler(c code, detail string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { newProblem(c, detail).write(w) })
}

// IsLoopback reports whether an address, a host with or without a port, can only be
// reached from this machine. An address without a host is not a loopback address.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
		if inner, bracketed := strings.CutPrefix(address, "["); bracketed && strings.HasSuffix(inner, "]") {
			host = strings.TrimSuffix(inner, "]")
		}
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// RequireToken passes requests with Authorization: Bearer TOKEN to next, or all requests
// if token is empty. It answers others with 401 and a problem.
func RequireToken(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	passes := HasToken(token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !passes(r) {
			newProblem(unauthorized, detailNoToken).write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// HasToken returns a function that reports whether a request carries the token. If the
// token is empty, all do.
func HasToken(token string) func(*http.Request) bool {
	if token == "" {
		return func(*http.Request) bool { return true }
	}
	// Comparing hashes, which have one length, takes the same time for all tokens.
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) bool {
		got := sha256.Sum256([]byte(bearerToken(r.Header)))
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
}

// bearerToken returns the token of a request, or "" if it has none (RFC 6750, section
// 2.1).
func bearerToken(header http.Header) string {
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
