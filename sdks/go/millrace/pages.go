// Walks a list that comes in pages.

package millrace

import "iter"

// pages yields the items of every page; fetch takes the cursor of a page, empty for the first, and gives that of the
// next.
func pages[T any](fetch func(cursor string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := ""; ; {
			list, next, err := fetch(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range list {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			cursor = next
		}
	}
}
