package cli

// guard does something on a goroutine other than the front's. If it breaks, that is
// kept and told, and the front ends as when the person leaves: the terminal must not
// stay as the front has it.
func (f *front) guard(do func()) {
	defer func() {
		if v := recover(); v != nil {
			f.broken.Store(true)
			f.notice(keepCrash(v))
			f.ui.Quit()
		}
	}()
	do()
}
