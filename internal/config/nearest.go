package config

import "strings"

// Nearest returns those of known that name is most likely a slip of, all
// equally near; none if it resembles none.
func Nearest(name string, known []string) []string {
	var near []string
	best := 0
	for _, k := range known {
		d, limit := distance(fold(name), fold(k)), max(1, (len(k)+2)/4)
		if d > limit || len(near) > 0 && d > best {
			continue
		}
		if d < best {
			near = nil
		}
		near, best = append(near, k), d
	}
	return near
}

// fold drops what people mix up in names: case, and what joins words.
func fold(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}

// distance returns how many letters must be added, dropped, changed or swapped
// with their neighbour to make b of a. Where the lengths alone show that it is
// large, it returns their difference.
func distance(a, b string) int {
	if d := len(a) - len(b); d > len(b) || -d > len(a) {
		return max(d, -d)
	}
	before, previous, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, previous, row = previous, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := previous[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, previous[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
