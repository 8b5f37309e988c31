import { referencePattern } from '#domain/collections';
import { type Position } from '#domain/event-sourcing';
import { isCalendarDay } from '#domain/kernel';
import {
  decodeCursor,
  encodeCursor,
  type TransactionItem,
  transactionStatuses,
  type TransactionsPage,
  transactionTypes,
} from '#views/transactions';

/** As of when a page shows what stands: the end of a day of the merchant's zone, or a position of the log. */
export type AsOf = { readonly day: string } | { readonly position: Position };

const dateFields = [
  'created_at',
  'completed_at',
  'paid_at',
] as const satisfies TransactionsPage['dateField'][];
export type DateField = (typeof dateFields)[number];

/** What of the list somebody wants to see; the filters are those of the API's list. */
export interface ListQuery {
  readonly type?: TransactionItem['type'];
  readonly status?: TransactionItem['status'];
  readonly dateField: DateField;
  readonly from?: string;
  readonly to?: string;
  readonly batch?: string;
  readonly at?: AsOf;
  /** Where the page begins. */
  readonly before?: Position;
}

const fields = ['type', 'status', 'date_field', 'from', 'to', 'batch', 'at', 'cursor'] as const;
export type ListField = (typeof fields)[number];

/** A query as it was typed, and which of its fields cannot be meant so. */
export interface ReadQuery {
  readonly query: ListQuery;
  /** As typed, for the form; absent where nothing was. */
  readonly typed: Partial<Readonly<Record<ListField, string>>>;
  readonly wrong: readonly ListField[];
}

const largest = 2n ** 63n - 1n;

/** @returns undefined where the text is neither a day nor a position */
export function readAsOf(text: string): AsOf | undefined {
  if (/^(?:0|[1-9][0-9]{0,18})$/.test(text)) {
    const position = BigInt(text);
    return position > largest ? undefined : { position };
  }
  return isCalendarDay(text) ? { day: text } : undefined;
}

/** Longer ones are nobody's: they are not even shown again. */
const maxLength = 100;

/** A field that is empty asks for nothing: forms send all of theirs. */
export function readListQuery(parameters: URLSearchParams): ReadQuery {
  const typed: Partial<Record<ListField, string>> = {};
  for (const field of fields) {
    const text = (parameters.get(field) ?? '').trim().slice(0, maxLength);
    if (text !== '') typed[field] = text;
  }
  const { from, to, batch } = typed;
  const type = transactionTypes.find((one) => one === typed.type);
  const status = transactionStatuses.find((one) => one === typed.status);
  const dateField = dateFields.find((one) => one === typed.date_field);
  const at = typed.at === undefined ? undefined : readAsOf(typed.at);
  const before = typed.cursor === undefined ? undefined : decodeCursor(typed.cursor);
  const isFit: Readonly<Record<ListField, boolean>> = {
    type: type !== undefined,
    status: status !== undefined,
    date_field: dateField !== undefined,
    from: isCalendarDay(from),
    // Days of this form are ordered as text.
    to: isCalendarDay(to) && !(isCalendarDay(from) && from > to),
    batch: batch !== undefined && referencePattern.test(batch),
    at: at !== undefined,
    cursor: before !== undefined,
  };
  const wrong = fields.filter((field) => typed[field] !== undefined && !isFit[field]);
  const fit = <Value>(field: ListField, value: Value | undefined): Value | undefined =>
    isFit[field] ? value : undefined;
  return {
    query: {
      dateField: dateField ?? 'created_at',
      ...present({
        type,
        status,
        from: fit('from', from),
        to: fit('to', to),
        batch: fit('batch', batch),
        at,
        before,
      }),
    },
    typed,
    wrong,
  };
}

type Present<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

function present<Members extends object>(members: Members): Present<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Present<Members>;
}

/** The query's own text, without its question mark: what a link, or a view that is kept, says. */
export function searchOf({
  type,
  status,
  dateField,
  from,
  to,
  batch,
  at,
  before,
}: ListQuery): string {
  const parameters = new URLSearchParams(
    present({
      type,
      status,
      date_field: dateField === 'created_at' ? undefined : dateField,
      from,
      to,
      batch,
      at: at && asOfText(at),
      cursor: before === undefined ? undefined : encodeCursor(before),
    }),
  );
  return parameters.toString();
}

export function asOfText(at: AsOf): string {
  return 'day' in at ? at.day : at.position.toString();
}
