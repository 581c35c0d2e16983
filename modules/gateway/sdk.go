package gateway

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"

	"mcp-aggregator/modules/wire"
)

// sdkRequestID is the id of requests to the SDK, which rounds large ones.
var sdkRequestID = []byte("1")

// notifySDK has the SDK take a message of a session, without an answer to it.
func (g *Gateway) notifySDK(r *http.Request, m *wire.Message) { g.callSDK(r, m.Line) }

// callSDK has the SDK handle a body with the headers of r.
func (g *Gateway) callSDK(r *http.Request, body []byte) *httptest.ResponseRecorder {
	request := r.Clone(r.Context())
	request.Body = http.NoBody
	response := httptest.NewRecorder()
	g.passToSDK(response, request, bytes.Clone(body))
	return response
}

func copyResponse(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	copyHeader(w, response)
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes()) // a client that has gone needs no answer
}

func copyHeader(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), response.Header())
}

// passToSDK has the SDK handle a request whose body was read.
func (g *Gateway) passToSDK(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.handler.ServeHTTP(w, r)
}
