package main

import (
	"bytes"
	"cmp"
	"debug/macho"
	"encoding/binary"
	"os"
	"slices"
)

// fatAlign is the alignment of each part of a universal binary, as a power of two: the
// pages of Apple's arm64 are 16 KiB.
const fatAlign = 14

// universal is both macOS binaries in one file, of which the system starts the one that
// fits. The format is that of <mach-o/fat.h>: big-endian, a header, then one
// description a part.
func (r *release) universal() ([]byte, error) {
	parts := map[macho.Cpu][]byte{}
	for cpu, arch := range map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"} {
		part, err := os.ReadFile(r.binaries[platform{"darwin", arch}])
		if err != nil {
			return nil, err
		}
		parts[cpu] = part
	}
	return fat(parts)
}

func fat(parts map[macho.Cpu][]byte) ([]byte, error) {
	var head, body bytes.Buffer
	words := []uint32{macho.MagicFat, uint32(len(parts))}
	offset := aligned(8 + 20*len(parts))
	start := offset
	for _, cpu := range []macho.Cpu{macho.CpuAmd64, macho.CpuArm64} {
		part, err := macho.NewFile(bytes.NewReader(parts[cpu]))
		if err != nil {
			return nil, err
		}
		size := len(parts[cpu])
		words = append(words, uint32(cpu), part.SubCpu, uint32(offset), uint32(size), fatAlign)
		body.Write(parts[cpu])
		body.Write(make([]byte, aligned(size)-size))
		offset += aligned(size)
	}
	if err := binary.Write(&head, binary.BigEndian, words); err != nil {
		return nil, err
	}
	head.Write(make([]byte, start-head.Len()))
	return append(head.Bytes(), body.Bytes()...), nil
}

func aligned(n int) int { return (n + 1<<fatAlign - 1) >> fatAlign << fatAlign }

// sorted are the entries by name, whatever order they were found in.
func sorted(entries []entry) []entry {
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return entries
}
