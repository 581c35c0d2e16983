package wire

// keptWords bounds the memory that one deeply nested line leaves behind: 8 KiB,
// good for 65,536 levels.
const keptWords = 1 << 10

// nesting is the stack of open containers, one bit each: set for an object. The
// innermost is the lowest bit of top; each 64 levels, top moves to words.
type nesting struct {
	top   uint64
	depth uint
	words []uint64
}

func (n *nesting) reset() {
	n.depth = 0
	n.words = n.words[:0]
	if cap(n.words) > keptWords {
		n.words = nil
	}
}

func (n *nesting) pushArray()  { n.push(0) }
func (n *nesting) pushObject() { n.push(1) }

func (n *nesting) push(bit uint64) {
	if n.depth%64 == 0 {
		n.words = append(n.words, n.top)
	}
	n.top = n.top<<1 | bit
	n.depth++
}

func (n *nesting) pop() {
	n.depth--
	n.top >>= 1
	if n.depth%64 == 0 {
		last := len(n.words) - 1
		n.top, n.words = n.words[last], n.words[:last]
	}
}

// inObject reports whether the innermost open container is an object.
func (n *nesting) inObject() bool { return n.top&1 == 1 }

// closer returns the byte that closes the innermost open container.
func (n *nesting) closer() byte { return "]}"[n.top&1] }
