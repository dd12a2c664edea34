package provider

import (
	"regexp"
	"strconv"
	"sync"
)

// place finds where a vendor names a message of the request by its position:
// messages.3.content, messages[3], messages.[3], input[5], contents[2].parts[0],
// GenerateContentRequest.contents[4], body.messages.3, ('body', 'messages', 3, …).
var place = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w.\]]|(?i:request|body)\.)(?:messages|input|contents)(?:\.\[|\[|\.|['"], )(\d{1,6})\b`)
})

// refused returns the number, from 1, of the wire's message that f names by its
// position; 0 if it names none.
func (f fault) refused() int {
	for _, text := range append(f.places, f.message) {
		if m := place().FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1]) // which six digits always are
			return n + 1
		}
	}
	return 0
}
