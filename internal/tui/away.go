package tui

import "ikigai/internal/crash"

// giveAway gives the terminal away, and says so on given.
func (l *loop) giveAway(given chan<- error) {
	var err error
	if l.away == 0 {
		err = l.release()
	}
	if err == nil {
		l.away++
	}
	given <- err
}

// takeBack takes the terminal back that was given away.
func (l *loop) takeBack() {
	if l.away--; l.away == 0 {
		l.regain()
	}
}

// release gives the terminal back as it was before Run, for a while.
func (l *loop) release() error {
	if l.paged {
		l.paged = false
		l.term.Page(nil, 0, 0)
	}
	return l.term.Stop()
}

// regain takes the terminal again. Without it there is nothing left to do.
func (l *loop) regain() {
	if err := l.term.Start(); err != nil {
		l.over, l.err = true, err
		l.away = 1 // what cannot be taken need not be given back
		l.config.Host.Leave()
		return
	}
	l.title = ""
	l.resize()
	l.urgent = true
}

// redraw draws everything anew that is drawn at all.
func (l *loop) redraw() {
	if err := l.release(); err != nil {
		return
	}
	l.regain()
}

// editElsewhere has what was typed be edited in another program.
func (l *loop) editElsewhere() {
	if l.config.Edit == nil {
		return
	}
	given, text := make(chan error, 1), l.input.Text()
	l.giveAway(given)
	if err := <-given; err != nil {
		return
	}
	go func() {
		defer crash.Guard()
		edited, err := l.config.Edit(text)
		l.box.post(func(l *loop) {
			l.takeBack()
			if err != nil {
				l.notice(err.Error())
				return
			}
			l.input.Set(edited)
		})
	}()
}

// suspend stops the program until the shell that it was started from has it go
// on.
func (l *loop) suspend() {
	if l.away > 0 || l.release() != nil {
		return
	}
	l.stopGroup()
	l.regain()
}

// goesOn takes in that the program goes on after it was stopped, by whomever:
// others may have left the terminal in another mode meanwhile.
func (l *loop) goesOn() {
	if l.away == 0 {
		l.redraw()
	}
}
