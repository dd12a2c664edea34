package sqlite

import (
	"context"
	"errors"
	"iter"

	"ikigai"
)

func (s *Store) Fork(context.Context, ikigai.Grant, ikigai.ID, ikigai.Seq) error {
	return errors.ErrUnsupported
}
func (s *Store) Remove(context.Context, ikigai.Grant) error { return errors.ErrUnsupported }
func (s *Store) Search(context.Context, ikigai.SearchQuery) iter.Seq2[ikigai.Hit, error] {
	return func(yield func(ikigai.Hit, error) bool) { yield(ikigai.Hit{}, errors.ErrUnsupported) }
}
func (s *Store) Catchup(context.Context, int) (int64, error) { return 0, errors.ErrUnsupported }
func (s *Store) Query(context.Context, string) iter.Seq2[ikigai.Row, error] {
	return func(yield func(ikigai.Row, error) bool) { yield(ikigai.Row{}, errors.ErrUnsupported) }
}
func (s *Store) Vacuum(context.Context) (int64, error)              { return 0, errors.ErrUnsupported }
func (s *Store) Await(context.Context, ikigai.ID, ikigai.Seq) error { return errors.ErrUnsupported }
