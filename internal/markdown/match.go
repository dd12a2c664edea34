package markdown

// match pairs the runs that begin emphasis with those that end it. Each run is
// looked at a bounded number of times: what was passed over on the way to a partner
// is dropped, and where there is none, it is not looked for a second time.
func match(spans []span) {
	m := matcher{spans: spans}
	for i := range spans {
		s := &spans[i]
		if s.sign == 0 {
			continue
		}
		for s.closes && s.text != "" && m.pair(i) {
		}
		if s.opens && s.text != "" {
			m.open = append(m.open, i)
		}
	}
}

type matcher struct {
	spans []span
	open  []int     // runs that may begin emphasis
	below [18]int32 // by kind of the ending run: how many of open are known to fit none
}

// kind tells which runs fit an ending run alike.
func kind(s *span) int {
	k := s.size % 3
	if s.opens {
		k += 3
	}
	switch s.sign {
	case '_':
		k += 6
	case '~':
		k += 12
	}
	return k
}

// pair lets run i end what the last fitting run began, and reports whether there
// was one.
func (m *matcher) pair(i int) bool {
	closer := &m.spans[i]
	k := kind(closer)
	for at := len(m.open) - 1; at >= int(m.below[k]); at-- {
		opener := &m.spans[m.open[at]]
		if !fit(opener, closer) {
			continue
		}
		n, over := 1, emphasis
		if len(opener.text) > 1 && len(closer.text) > 1 {
			n, over = 2, strong
		}
		if closer.sign == '~' {
			over = strike
		}
		opener.begin[over]++
		closer.end[over]++
		opener.text, closer.text = opener.text[n:], closer.text[n:]
		if opener.text != "" {
			at++
		}
		m.cut(at)
		return true
	}
	m.below[k] = int32(len(m.open))
	return false
}

// cut drops all but the first n open runs.
func (m *matcher) cut(n int) {
	m.open = m.open[:n]
	for k, b := range m.below {
		m.below[k] = min(b, int32(n))
	}
}

// fit reports whether two runs can be the ends of one emphasis.
func fit(opener, closer *span) bool {
	if opener.sign != closer.sign {
		return false
	}
	if closer.sign == '~' {
		return true
	}
	both := opener.closes || closer.opens
	return !both || (opener.size+closer.size)%3 != 0 || opener.size%3 == 0 && closer.size%3 == 0
}
