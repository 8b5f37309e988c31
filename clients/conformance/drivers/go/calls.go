package main

import (
	"context"
	"encoding/json"
	"fmt"

	pesapost "github.com/pesapost/pesapost-go"
)

// callArgs are those of one call of a client.
type callArgs struct {
	Client         string            `json:"client"`
	Method         string            `json:"method"`
	Arguments      []json.RawMessage `json:"arguments"`
	IdempotencyKey *string           `json:"idempotency_key"`
	MinPosition    string            `json:"min_position"`
	AtPosition     string            `json:"at_position"`
	TimeoutMs      int64             `json:"timeout_ms"`
	Limit          int               `json:"limit"`
	Take           *int              `json:"take"`
}

func call(text json.RawMessage) (any, error) {
	var args callArgs
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, err
	}
	found, _ := clients.Load(args.Client)
	client := found.(*pesapost.Client)
	method, has := methods[args.Method]
	if !has {
		return nil, fmt.Errorf("there is no method %s", args.Method)
	}
	return method(context.Background(), client, args)
}

type method func(context.Context, *pesapost.Client, callArgs) (any, error)

var methods = map[string]method{
	"collections.create": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return created(ctx, args, client.Collections.Create)
	},
	"collections.expect": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return created(ctx, args, client.Collections.Expect)
	},
	"collections.refund": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		refund, err := argument[pesapost.NewRefund](args, 1)
		if err != nil {
			return nil, err
		}
		return client.Collections.Refund(ctx, args.text(0), *refund, args.posting()...)
	},
	"collections.get": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Collections.Get(ctx, args.text(0))
	},
	"collections.receipt": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Collections.Receipt(ctx, args.text(0))
	},
	"collections.wait_until_settled": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Collections.WaitUntilSettled(ctx, args.text(0), milliseconds(args.TimeoutMs))
	},
	"payouts.request": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return created(ctx, args, client.Payouts.Request)
	},
	"payouts.approve": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return decided(ctx, args, client.Payouts.Approve)
	},
	"payouts.reject": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return decided(ctx, args, client.Payouts.Reject)
	},
	"payouts.cancel": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Payouts.Cancel(ctx, args.text(0), args.posting()...)
	},
	"payouts.get": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Payouts.Get(ctx, args.text(0))
	},
	"payout_batches.create": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return created(ctx, args, client.PayoutBatches.Create)
	},
	"payout_batches.approve": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return decided(ctx, args, client.PayoutBatches.Approve)
	},
	"payout_batches.reject": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return decided(ctx, args, client.PayoutBatches.Reject)
	},
	"payout_batches.cancel": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.PayoutBatches.Cancel(ctx, args.text(0), args.posting()...)
	},
	"payout_batches.get": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.PayoutBatches.Get(ctx, args.text(0), args.reading()...)
	},
	"transactions.list": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		filters, err := filtersOf(args)
		if err != nil {
			return nil, err
		}
		return client.Transactions.List(ctx, filters, args.reading()...)
	},
	"transactions.pages": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		filters, err := filtersOf(args)
		if err != nil {
			return nil, err
		}
		return taken(ctx, client.Transactions.Pages(filters, args.reading()...), args.Take)
	},
	"transactions.all": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		filters, err := filtersOf(args)
		if err != nil {
			return nil, err
		}
		return taken(ctx, client.Transactions.All(filters, args.reading()...), args.Take)
	},
	"events.list": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Events.List(ctx, args.feed(), args.reading()...)
	},
	"events.all": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return taken(ctx, client.Events.All(args.feed(), args.reading()...), args.Take)
	},
	"accounts.balance": func(ctx context.Context, client *pesapost.Client, args callArgs) (any, error) {
		return client.Accounts.Balance(ctx, args.text(0), args.reading()...)
	},
}

// created runs a call whose first argument is its body.
func created[Body, Result any](
	ctx context.Context, args callArgs, create func(context.Context, Body, ...pesapost.PostOption) (*Result, error),
) (any, error) {
	body, err := argument[Body](args, 0)
	if err != nil {
		return nil, err
	}
	return create(ctx, *body, args.posting()...)
}

// decided runs a call about a reference, whose body may be left out.
func decided[Repeat, Result any](
	ctx context.Context,
	args callArgs,
	decide func(context.Context, string, *Repeat, ...pesapost.PostOption) (*Result, error),
) (any, error) {
	if len(args.Arguments) < 2 {
		return decide(ctx, args.text(0), nil, args.posting()...)
	}
	repeat, err := argument[Repeat](args, 1)
	if err != nil {
		return nil, err
	}
	return decide(ctx, args.text(0), repeat, args.posting()...)
}

// taken reads a list, no further than asked.
func taken[T any](ctx context.Context, it *pesapost.Iterator[T], most *int) (any, error) {
	items := []T{}
	for (most == nil || len(items) < *most) && it.Next(ctx) {
		items = append(items, it.Item())
	}
	if most != nil && len(items) == *most {
		return items, nil
	}
	return items, it.Err()
}

func filtersOf(args callArgs) (pesapost.TransactionFilters, error) {
	if len(args.Arguments) == 0 {
		return pesapost.TransactionFilters{}, nil
	}
	filters, err := argument[pesapost.TransactionFilters](args, 0)
	if err != nil {
		return pesapost.TransactionFilters{}, err
	}
	return *filters, nil
}

// argument reads an argument as the client's own type.
func argument[T any](args callArgs, index int) (*T, error) {
	value := new(T)
	if err := json.Unmarshal(args.Arguments[index], value); err != nil {
		return nil, mistake{err}
	}
	return value, nil
}

func (args callArgs) text(index int) string {
	var text string
	if err := json.Unmarshal(args.Arguments[index], &text); err != nil {
		panic(err)
	}
	return text
}

func (args callArgs) posting() []pesapost.PostOption {
	if args.IdempotencyKey == nil {
		return nil
	}
	return []pesapost.PostOption{pesapost.IdempotencyKey(*args.IdempotencyKey)}
}

func (args callArgs) reading() []pesapost.ReadOption {
	var options []pesapost.ReadOption
	if args.MinPosition != "" {
		options = append(options, pesapost.MinPosition(args.MinPosition))
	}
	if args.AtPosition != "" {
		options = append(options, pesapost.AtPosition(args.AtPosition))
	}
	return options
}

func (args callArgs) feed() pesapost.EventFilters {
	filters := pesapost.EventFilters{Limit: args.Limit}
	if len(args.Arguments) > 0 {
		if err := json.Unmarshal(args.Arguments[0], &filters.AfterSequence); err != nil {
			panic(err)
		}
	}
	return filters
}
