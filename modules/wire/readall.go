package wire

import (
	"bytes"
	"io"
)

// ReadAll reads all of r, of which somebody announced that many bytes. Memory is taken
// as they arrive: what is only announced gets next to none.
func ReadAll(r io.Reader, announced int64) ([]byte, error) {
	const small = 64 << 10
	if announced <= 0 || announced > small {
		return io.ReadAll(r)
	}
	var body bytes.Buffer
	body.Grow(int(announced) + bytes.MinRead) // or it would grow once more to see the end
	_, err := body.ReadFrom(r)
	return body.Bytes(), err
}
