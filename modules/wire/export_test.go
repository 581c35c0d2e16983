package wire

// KeptBytes returns how much memory s keeps for the next line.
func (s *Scanner) KeptBytes() int { return 8 * cap(s.nest.words) }
