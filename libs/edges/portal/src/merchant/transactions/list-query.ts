import { referencePattern } from '#domain/collections';
import { type Position } from '#domain/event-sourcing';
import { isCalendarDay } from '#domain/kernel';
import { accountNoPattern } from '#domain/merchants';
import {
  decodeCursor,
  encodeCursor,
  type TransactionItem,
  transactionStatuses,
  type TransactionsPage,
  transactionTypes,
} from '#views/transactions';

/** The moment as of which a page shows balances: the end of a day of the merchant's zone, or a position of the log. */
export type AsOf = { readonly day: string } | { readonly position: Position };

const dateFields = [
  'created_at',
  'completed_at',
  'paid_at',
] as const satisfies TransactionsPage['dateField'][];
export type DateField = (typeof dateFields)[number];

/** Filters of the list: those of the API's list, and `attention` and `account`, which only the portal has. */
export interface ListQuery {
  readonly type?: TransactionItem['type'];
  readonly status?: TransactionItem['status'];
  /** Only items that need attention (LIST-29). */
  readonly attention?: true;
  readonly account?: string;
  readonly dateField: DateField;
  readonly from?: string;
  readonly to?: string;
  readonly batch?: string;
  readonly at?: AsOf;
  /** The start of the page. */
  readonly before?: Position;
}

const fields = [
  ...(['type', 'status', 'attention', 'account'] as const),
  ...(['date_field', 'from', 'to', 'batch', 'at', 'cursor'] as const),
] as const;
export type ListField = (typeof fields)[number];

/** The items that a total sums up: those of one status, or all that need attention. */
export type Summed = TransactionItem['status'] | 'needs_attention';

/** A query as it was typed, and the fields whose values cannot be right. */
export interface ReadQuery {
  readonly query: ListQuery;
  /** Values as typed, for the form; empty fields are absent. */
  readonly typed: Partial<Readonly<Record<ListField, string>>>;
  readonly wrong: readonly ListField[];
}

const largest = 2n ** 63n - 1n;

/** @returns undefined if the text is neither a day nor a position */
export function readAsOf(text: string): AsOf | undefined {
  if (/^(?:0|[1-9][0-9]{0,18})$/.test(text)) {
    const position = BigInt(text);
    return position > largest ? undefined : { position };
  }
  return isCalendarDay(text) ? { day: text } : undefined;
}

/** Most characters of a value. Longer ones are wrong and are not shown again. */
const maxLength = 100;

/** Reads the filters. An empty field filters nothing: forms send all of theirs. */
export function readListQuery(parameters: URLSearchParams): ReadQuery {
  const typed: Partial<Record<ListField, string>> = {};
  for (const field of fields) {
    const text = (parameters.get(field) ?? '').trim().slice(0, maxLength);
    if (text !== '') typed[field] = text;
  }
  const { from, to, batch, account } = typed;
  const type = transactionTypes.find((one) => one === typed.type);
  const status = transactionStatuses.find((one) => one === typed.status);
  const dateField = dateFields.find((one) => one === typed.date_field);
  const at = typed.at === undefined ? undefined : readAsOf(typed.at);
  const before = typed.cursor === undefined ? undefined : decodeCursor(typed.cursor);
  const isFit: Readonly<Record<ListField, boolean>> = {
    type: type !== undefined,
    status: status !== undefined,
    attention: typed.attention === 'true',
    account: account !== undefined && accountNoPattern.test(account),
    date_field: dateField !== undefined,
    from: isCalendarDay(from),
    // Days of this form sort as text.
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
        attention: fit('attention', true as const),
        account: fit('account', account),
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

/** The query string, without its question mark, for links and saved views. */
export function searchOf({
  type,
  status,
  attention,
  account,
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
      attention: attention && 'true',
      account,
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

/** The query of the list's first page. */
export function withoutStart({ before: _before, ...query }: ListQuery): ListQuery {
  return query;
}

export function asOfText(at: AsOf): string {
  return 'day' in at ? at.day : at.position.toString();
}
