package sqlite

import (
	"context"
	"slices"
	"sync"
)

// A commit costs far more than what is committed: it waits for the disk. So
// what several sessions of a process want to commit at the same time goes into
// one transaction.

// maxGroup is the most jobs that are committed at once.
const maxGroup = 64

// job is a transaction that waits for its turn.
type job struct {
	run  func(context.Context, *connection) error
	done chan error // takes the outcome, has room for it
}

// queue holds the jobs that nobody has begun.
type queue struct {
	mu   sync.Mutex
	jobs []*job
}

func (q *queue) add(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
}

// remove reports whether j was in the queue.
func (q *queue) remove(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.jobs)
	q.jobs = slices.DeleteFunc(q.jobs, func(other *job) bool { return other == j })
	return len(q.jobs) < n
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

func (q *queue) has(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Contains(q.jobs, j)
}

// takeGroup takes the next jobs out of the queue.
func (q *queue) takeGroup() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.jobs), maxGroup)
	group := slices.Clone(q.jobs[:n])
	q.jobs = slices.Delete(q.jobs, 0, n)
	return group
}

// commit runs f in a transaction, perhaps with others, and commits it. f may be
// run again if the transaction it was part of failed, for whatever reason.
func (w *writer) commit(ctx context.Context, f func(context.Context, *connection) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{run: f, done: make(chan error, 1)}
	w.jobs.add(j)
	for {
		select {
		case err := <-j.done:
			return err
		case <-ctx.Done():
			if w.jobs.remove(j) {
				return ctx.Err()
			}
			return <-j.done // it is being committed
		case c, open := <-w.slot:
			if !open {
				w.jobs.remove(j)
				return errClosed
			}
			if err := w.lead(ctx, c, j); err != nil {
				return err
			}
		}
	}
}

// lead commits a group for all who wait. Its error concerns j alone, which is
// then out of the queue: the right to write was not to be had.
func (w *writer) lead(ctx context.Context, c *connection, j *job) (err error) {
	defer func() { w.give(c) }()
	if !w.jobs.has(j) {
		return nil // another one has committed it
	}
	if c == nil {
		c, err = w.connect(ctx)
	}
	if err == nil {
		err = c.begin(ctx)
	}
	if err != nil {
		w.jobs.remove(j)
		return err
	}
	// What came while we waited for the lock goes along.
	c.commitGroup(context.WithoutCancel(ctx), w.jobs.takeGroup())
	return nil
}

// commitGroup commits the jobs in the transaction that has begun. If one fails,
// each gets a transaction of its own.
func (c *connection) commitGroup(ctx context.Context, group []*job) {
	err := c.finish(ctx, func(ctx context.Context) error {
		for _, j := range group {
			if err := j.run(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || len(group) == 1 {
		for _, j := range group {
			j.done <- err
		}
		return
	}
	for _, j := range group {
		if !c.doubtful {
			err = c.transaction(ctx, func(ctx context.Context) error { return j.run(ctx, c) })
		}
		j.done <- err
	}
}
