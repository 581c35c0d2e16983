package model2vec

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// tensor locates a tensor in a safetensors file, in row-major order:
// https://huggingface.co/docs/safetensors/index#format.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // relative to the end of the header

	begin int64 // offset in the file
	width int   // bytes per number
}

// maxHeader limits the size of the header.
const maxHeader = 1 << 20

// readHeader returns the tensors of a file, all of which lie within it.
func readHeader(file *os.File) (map[string]tensor, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var length [8]byte
	if _, err := file.ReadAt(length[:], 0); err != nil {
		return nil, errors.New("the file is too short")
	}
	size := binary.LittleEndian.Uint64(length[:])
	if size > maxHeader || int64(size)+8 > info.Size() {
		return nil, errors.New("the file is not in safetensors format")
	}
	header := make([]byte, size)
	if _, err := file.ReadAt(header, 8); err != nil {
		return nil, err
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("invalid header: %w", err)
	}
	tensors := map[string]tensor{}
	for name, entry := range entries {
		if name == "__metadata__" {
			continue
		}
		t := tensor{begin: 8 + int64(size)}
		if err := json.Unmarshal(entry, &t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if err := t.check(info.Size()); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		tensors[name] = t
	}
	return tensors, nil
}

// check completes a tensor and verifies that it lies within the file.
func (t *tensor) check(fileSize int64) error {
	t.width = map[string]int{"F64": 8, "F32": 4, "F16": 2, "I8": 1, "I32": 4, "I64": 8}[t.Type]
	if t.width == 0 {
		return fmt.Errorf("type %q is not supported: use F32, F16, F64, I8, I32 or I64", t.Type)
	}
	need := int64(t.width)
	for _, n := range t.Shape {
		if n < 0 || (n > 0 && need > math.MaxInt64/int64(n)) {
			return errors.New("the shape is impossible")
		}
		need *= int64(n)
	}
	t.begin += t.Offsets[0]
	if t.Offsets[0] < 0 || t.Offsets[0] > fileSize || t.Offsets[1]-t.Offsets[0] != need || t.begin+need > fileSize {
		return errors.New("it is not within the file")
	}
	return nil
}

// read returns n numbers starting at the given index.
func (t *tensor) read(file io.ReaderAt, first, n int) ([]float64, error) {
	data := make([]byte, n*t.width)
	if _, err := file.ReadAt(data, t.begin+int64(first)*int64(t.width)); err != nil {
		return nil, err
	}
	numbers := make([]float64, n)
	for i := range numbers {
		numbers[i] = t.number(data[i*t.width:])
	}
	return numbers, nil
}

func (t *tensor) number(data []byte) float64 {
	switch t.Type {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(data))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case "F16":
		return float16(binary.LittleEndian.Uint16(data))
	case "I32":
		return float64(int32(binary.LittleEndian.Uint32(data)))
	case "I64":
		return float64(int64(binary.LittleEndian.Uint64(data)))
	}
	return float64(int8(data[0]))
}

// float16 decodes an IEEE 754 binary16 number.
func float16(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1+fraction/1024, exponent-15)
}
