package tty

// Live is what stands below everything that is printed, and is redrawn.
type Live struct {
	Lines []string // top to bottom; they are cut to the width less one column, and to the height
	Row   int      // of the cursor, counted from the first of Lines
	Col   int      // of the cursor, in columns
	Blind bool     // the cursor is not shown
}
