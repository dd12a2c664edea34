package scriptserver_test

import (
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/providertest"
)

// What is said several times is answered in its order, by whichever vendor; what
// else is said is not counted, nor what was never answered taken for one with it.
func TestSaidAgain(t *testing.T) {
	server := start(t, `
user: begin
say: Begun.
user: go on
say: One.
user: /^yes/
say: The first yes.
user: go on
say: Two.
user: go on
say: Three.
user: /^yes/
say: The second yes.
`)
	answer := ikigai.Message{Kind: ikigai.KindAssistant, Content: "go on"}
	summary := said("[The beginning of this conversation is sent in fewer words. It was about this.]\n\n- begin\n- yes")
	for name, model := range models(server.URL) {
		t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
			for _, tt := range []struct {
				want string
				says []ikigai.Message
			}{
				{"One.", []ikigai.Message{said("go on")}},
				{"One.", []ikigai.Message{said("begin"), answer, said("go on")}},
				{"The first yes.", []ikigai.Message{said("begin"), answer, said("go on"), answer, said("yes, do")}},
				{"Two.", []ikigai.Message{said("go on"), answer, said("yes"), answer, said("please go on")}},
				{"Two.", []ikigai.Message{said("go on"), said("go on")}},
				{"Three.", []ikigai.Message{said("go on"), answer, said("go on"), said("begin"), said("go on")}},
				{"Three.", []ikigai.Message{said("go on"), answer, said("go on"), answer, said("go on"), answer, said("go on")}},
				{"The second yes.", []ikigai.Message{said("yes"), answer, said("yes"), answer, said("yes")}},
				{"Three.", []ikigai.Message{summary, answer, said("go on")}},
				{"Three.", []ikigai.Message{summary, said("go on")}},
				{"Begun.", []ikigai.Message{summary, said("go on"), answer, said("begin")}},
			} {
				if r := providertest.Collect(t, model, asked("You help.", tt.says...)); r.Text != tt.want {
					t.Errorf("%v: %s", tt.says, r)
				}
			}
		})
	}
}
