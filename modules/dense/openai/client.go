package openai

import (
	"errors"
	"io"
	"net/http"
)

// maxAnswer limits the size of a response: 32 vectors of 16,000 numbers fit.
const maxAnswer = 16 << 20

var errTooLong = errors.New("the endpoint's response is longer than 16 MiB")

// newClient returns a client that limits the size of responses. It needs no timeout,
// because each request has a context with a deadline.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Transport: limitedTransport{transport},
		// Redirects of a POST carry the texts and, on the same host, the key.
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if first := via[0].URL; to.URL.Host != first.Host || to.URL.Scheme != first.Scheme {
				return errors.New("the endpoint redirects to another host: use that host in the URL")
			}
			if len(via) > 3 {
				return errors.New("the endpoint redirects too often")
			}
			return nil
		},
	}
}

// limitedTransport limits the size of response bodies.
type limitedTransport struct{ http.RoundTripper }

func (b limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = &limitedBody{ReadCloser: response.Body, left: maxAnswer}
	}
	return response, err
}

// limitedBody returns an error after left bytes.
type limitedBody struct {
	io.ReadCloser

	left int
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
