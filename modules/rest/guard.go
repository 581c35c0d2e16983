package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Guard keeps pages of other sites that a browser shows from using the service,
// which their user can reach and they cannot. It is meant for all of what listens
// at the address, such as 127.0.0.1:8080. Refused with 403 and a problem are:
//
//   - what a browser sends across origins, unless it only reads
//     ([http.CrossOriginProtection]; the browser keeps what was read to itself);
//   - if the address is a loopback one, a Host that is not: the name of a site
//     that was made to point here (DNS rebinding).
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

// IsLoopback reports whether an address, a host with or without a port, is one
// that only this machine can reach. An address without a host is not.
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

// RequireToken lets only requests with Authorization: Bearer TOKEN pass to next;
// all of them if the token is empty. Others are answered with 401 and a problem.
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

// HasToken returns what tells whether a request has the token; all do if it is empty.
func HasToken(token string) func(*http.Request) bool {
	if token == "" {
		return func(*http.Request) bool { return true }
	}
	// Sums have one length: comparing them takes the same time for all tokens.
	want := sha256.Sum256([]byte(token))
	return func(r *http.Request) bool {
		got := sha256.Sum256([]byte(bearerToken(r.Header)))
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
}

// bearerToken returns the token of a request, empty if it has none (RFC 6750, 2.1).
func bearerToken(header http.Header) string {
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
