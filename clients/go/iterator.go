package pesapost

import "context"

// Iterator walks a list, and fetches a page only when the caller needs it. One goroutine uses it at a time.
//
//	for it.Next(ctx) {
//		use(it.Item())
//	}
//	err := it.Err()
type Iterator[T any] struct {
	// fetch returns the next items, true if they are the last ones, and the failure that follows them.
	fetch func(context.Context) ([]T, bool, error)

	buffer []T
	item   T
	isLast bool
	err    error
}

// Next goes to the next item. It returns false at the end of the list, or if a call failed.
func (it *Iterator[T]) Next(ctx context.Context) bool {
	for len(it.buffer) == 0 {
		if it.isLast || it.err != nil {
			return false
		}
		it.buffer, it.isLast, it.err = it.fetch(ctx)
	}
	it.item, it.buffer = it.buffer[0], it.buffer[1:]
	return true
}

// Item returns the item that Next went to.
func (it *Iterator[T]) Item() T { return it.item }

// Err returns the failure that ended the walk, or nil at the end of the list. Call it after Next returned false.
func (it *Iterator[T]) Err() error { return it.err }
