package pesapost

import (
	"context"
	"strconv"

	"github.com/pesapost/pesapost-go/internal/signing"
)

const eventsPath = "/api/v4/events"

// Events are the webhooks' events, stored: the same bodies in their order, even if a delivery was lost.
type Events struct{ link *connection }

// List returns one page of the events after a sequence.
func (e *Events) List(ctx context.Context, filters EventFilters, options ...ReadOption) (*EventsPage, error) {
	query := []signing.Parameter{{Name: "after_sequence", Value: strconv.FormatInt(filters.AfterSequence, 10)}}
	if filters.Limit != 0 {
		query = append(query, signing.Parameter{Name: "limit", Value: limitText(filters.Limit)})
	}
	page, err := get[EventsPage](ctx, e.link, eventsPath, query, options)
	if err == nil && page.Data == nil {
		return nil, notAPage(eventsPath)
	}
	return page, err
}

// All walks every event up to the newest, in order (SDK-15). It fails with unexpected_answer if an event is missing
// between two, because a skipped event would never be noticed again.
func (e *Events) All(filters EventFilters, options ...ReadOption) *Iterator[Event] {
	return &Iterator[Event]{fetch: func(ctx context.Context) ([]Event, bool, error) {
		page, err := e.List(ctx, filters, options...)
		if err != nil {
			return nil, false, err
		}
		for index, event := range page.Data {
			if event.Sequence != filters.AfterSequence+1 {
				return page.Data[:index], false, notAPage(eventsPath)
			}
			filters.AfterSequence = event.Sequence
		}
		return page.Data, len(page.Data) == 0, nil
	}}
}
