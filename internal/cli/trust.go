package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/knowledge"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/trust"
)

// trusting says how a command treats what a project brings.
type trusting struct {
	ask     bool // at a terminal, about what nobody has decided; a model is to work
	accept  bool // for this run, whatever was decided
	require bool // end where something is not trusted
	reads   bool // the command does nothing that a project could act on but its settings
	texts   bool // the command tells of instructions and skills, though it does not ask
	typed   bool // a person types statements: the project's commands are of use
}

// trustFlags adds the flags that say how commands that can start something of a
// project treat what it brings.
func (a *app) trustFlags(cmds ...*cobra.Command) {
	for _, cmd := range cmds {
		cmd.Flags().BoolVar(&a.trusting.accept, "trust", false, "let what the project brings act in this run alone")
		cmd.Flags().BoolVar(&a.trusting.require, "require-trust", false, "end with 4 where something of the project is not trusted")
	}
}

// projectTrust is what a project brings, and whether it may act.
type projectTrust struct {
	project *trust.Project
	place   knowledge.Place // where its instructions and skills lie
	last    trust.Decision  // about this directory; the zero Decision if there is none
	allowed bool
	since   ikigai.Micros // when it was decided that it may act; 0 where it was not
	sealed  *trust.Sealed // holds the copy of the tools for as long as the program runs
}

// book returns the person's decisions; nil if there is no place for them.
func book(in config.Input) *trust.Book {
	_, data := config.OwnFiles(in)
	if data == "" {
		return nil
	}
	return trust.Open(filepath.Join(data, "trust.json"))
}

// judge returns what the project in dir brings, and whether it may act, by what
// was decided of exactly these bytes.
func (a *app) judge(dir string, in config.Input) projectTrust {
	own, _ := config.OwnFiles(in)
	place := knowledge.Find(dir, a.userPlace("XDG_CONFIG_HOME", ".config", ""))
	p, err := trust.Scan(dir, own, trust.Texts(place))
	if err != nil {
		p = &trust.Project{Dir: dir, Problem: "What lies in " + dir + " cannot be read: " + err.Error() + ". Make the directory readable."}
	}
	p.Problem = inOneLine(p.Problem)
	t := projectTrust{project: p, place: place}
	if b := book(in); b != nil && !p.Empty() {
		var found bool
		if t.last, found, err = b.Last(p.Dir); err != nil {
			a.notice("The decisions about projects cannot be read: " + err.Error() + ". Repair the file or remove it; until then nothing is trusted.")
		}
		by := t.last
		if !found || !by.Holds(p) {
			by, _ = b.Around(p)
		}
		t.allowed, t.since = by.Trusted, by.Time
	}
	return t
}

// decided reports whether the person has said of exactly these bytes what to do.
func (t projectTrust) decided() bool { return t.last.Holds(t.project) }

// input is all that the settings depend on, but for the project.
func (a *app) input() config.Input {
	return config.Input{Dir: a.dir, Home: a.env("HOME"), Environ: a.Env, Flags: a.flags, FlagNames: a.flagNames}
}

// projectTrust finds out, once for each directory, whether what the project brings
// may act, and asks the person if need be. Where it may not, they are told.
func (a *app) projectTrust() (projectTrust, error) {
	if t := a.project; t.project != nil && t.project.Dir == a.dir {
		return t, nil
	}
	t := a.judge(a.dir, a.input())
	if t.project.Empty() || !t.allowed && !a.wanted(t.project) {
		return t, nil
	}
	switch {
	case a.trusting.accept && t.project.Problem != "":
		return t, &ikigai.Error{Kind: ikigai.ErrorDenied, What: "--trust: " + strings.TrimSuffix(t.project.Problem, "."), Do: "Or leave --trust out"}
	case a.trusting.accept:
		t.allowed = true
	case !t.allowed && !t.decided() && a.trusting.ask && a.canAsk() && t.project.Problem == "":
		if err := a.askTrust(&t); err != nil {
			return t, err
		}
	}
	return t, a.tellTrust(t)
}

// tellTrust tells that something is ignored, unless the person has said that it
// shall be.
func (a *app) tellTrust(t projectTrust) error {
	p := t.project
	switch {
	case t.allowed:
	case a.trusting.require:
		return &ikigai.Error{Kind: ikigai.ErrorDenied, What: "What the project in " + p.Dir + " brings is not trusted: " + brings(p),
			Do: "Look at it with `ikigai trust`, or accept it for this run with --trust"}
	case a.trusting.reads && p.Config() == nil || t.decided():
	case p.Problem != "":
		a.notice("What the project brings cannot be trusted and is ignored: " + p.Problem)
	default:
		why := "nobody has said to trust it"
		if t.last.Dir != "" {
			why = "it has changed since you decided"
		}
		a.notice("What the project in " + inOneLine(p.Dir) + " brings is ignored because " + why + ": " + brings(p) + ". Look at it, and decide, with `ikigai trust`.")
	}
	return nil
}

// brings says in a few words what p brings.
func brings(p *trust.Project) string {
	kinds := map[trust.Kind]int{}
	for _, i := range p.Items {
		kinds[i.Kind]++
	}
	var all []string
	if kinds[trust.KindSettings] > 0 {
		all = append(all, "settings")
	}
	if n := kinds[trust.KindTool]; n > 0 {
		all = append(all, render.Count(n, "tool"))
	}
	if kinds[trust.KindServers] > 0 {
		all = append(all, "MCP servers")
	}
	all = append(all, textsNamed(p, trust.KindInstructions, "instructions")...)
	all = append(all, textsNamed(p, trust.KindSkill, "skill")...)
	all = append(all, textsNamed(p, trust.KindCommand, "command")...)
	if len(all) == 0 {
		all = append(all, "files beside tools")
	}
	return strings.Join(all, ", ")
}

// mostTexts is how many instructions, or skills, are named where there is little
// room.
const mostTexts = 3

// textsNamed returns the texts of a kind in a few words, with their names if they are
// few.
func textsNamed(p *trust.Project, kind trust.Kind, noun string) []string {
	var all []string
	for _, i := range p.Items {
		if i.Kind == kind {
			all = append(all, cutMiddle(inOneLine(i.String())))
		}
	}
	if len(all) > mostTexts {
		return []string{render.Count(len(all), strings.TrimSuffix(noun, "s"))}
	}
	return all
}

// trusted returns what the settings may use of the project; nil for nothing.
func (t projectTrust) trusted() *config.Project {
	if !t.allowed || t.project.Empty() {
		return nil
	}
	return t.settings()
}

// settings returns what the project brings for the settings, trusted or not.
func (t projectTrust) settings() *config.Project {
	return &config.Project{SettingsPath: t.project.ConfigPath(), Settings: t.project.Config(),
		ServersPath: t.project.MCPPath(), Servers: t.project.MCP()}
}

// event returns what the log of a session keeps of it, and whether there is
// anything to keep.
func (t projectTrust) event() (ikigai.Event, bool) {
	if t.project == nil || t.project.Empty() {
		return ikigai.Event{}, false
	}
	d := ikigai.TrustData{Trusted: t.allowed, SHA256: t.project.SHA256()}
	for i, item := range t.project.Items {
		if i == mostItems {
			d.Items = append(d.Items, fmt.Sprintf("and %d more", len(t.project.Items)-i))
			break
		}
		text := cutMiddle(inOneLine(item.String()))
		if !item.Readable() {
			text += " (no JSON, passed over)"
		}
		d.Items = append(d.Items, text)
	}
	if t.project.Problem != "" {
		d.Items = append(d.Items, t.project.Problem)
	}
	content := "Ignored"
	if t.allowed {
		content = "Trusted"
	}
	return ikigai.NewEvent(ikigai.KindTrust, content+": "+strings.Join(d.Items, ", "), d), true
}

// mostItems bounds what is listed one by one.
const mostItems = 100

// sealedTools returns the directory of a sealed copy of the project's tools, ""
// if there are none that may act. It is that of the directory that the session
// lives in, and stays as it is for as long as the program runs.
func (a *app) sealedTools() (string, error) {
	var err error
	if a.project, err = a.projectTrust(); err != nil {
		return "", err
	}
	t := &a.project
	if !t.allowed || !t.project.HasTools() {
		return "", nil
	}
	if t.sealed == nil {
		_, data := config.OwnFiles(a.input())
		if data == "" {
			return "", usage("There is no home directory to keep the project's tools in", "Set HOME")
		}
		into := filepath.Join(data, "trusted")
		if t.sealed, err = t.project.Seal(into); err != nil {
			return "", usage("The project's tools cannot be copied to "+into+": "+err.Error(), "Make it a directory of yours that can be written")
		}
	}
	return t.sealed.Dir, nil
}

// mostName bounds what is shown of the path of a file, in bytes.
const mostName = 160

// cutMiddle leaves out the middle of a name that is too long.
func cutMiddle(name string) string {
	if len(name) <= mostName {
		return name
	}
	const side = mostName / 2
	return strings.ToValidUTF8(name[:side], "") + "…" + strings.ToValidUTF8(name[len(name)-side:], "")
}

// inOneLine returns what a file's name or content may hold such that it does
// nothing to a terminal and stays in its line.
func inOneLine(text string) string {
	return strings.NewReplacer("\n", "␊", "\t", " ").Replace(safetext.Terminal(text))
}
