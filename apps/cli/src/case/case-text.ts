import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs, writeJson } from '#domain/kernel';
import {
  type Case,
  type CollectionCase,
  type NextAction,
  openReviewCause,
  type PayoutCase,
} from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { itemTypes } from '#shared/glossary';
import { causes, next } from '#desk/words';
import { money } from '../money.js';
import { statusWords } from '../status-words.js';
import { section, table } from '../table.js';

export type Rows = readonly (readonly [string, string | undefined])[];

/** The facts of the collection or payout, one a line. */
export function summary(found: Case): readonly string[] {
  const { type, key, state, item, events } = found;
  const review = state.underReview ? openReviewCause(events) : undefined;
  const rows: Rows = [
    ['merchant', `${key.merchantId}, ${key.mode} mode, account ${item.account_no}`],
    ['status', statusWords(item.status, failureIn(item))],
    ['under review', review && `${review.why} since ${review.since}`],
    ['', review && causes[review.why]],
    ...(found.type === 'payout' ? payoutRows(found) : collectionRows(found)),
    ['receipt', item.receipt ?? 'none known'],
    ['asked at', item.created_at],
    ['paid at', item.paid_at ?? undefined],
    ['completed at', item.completed_at ?? undefined],
  ];
  return [`${itemTypes[type].en} ${item.reference}`, ...known(rows)];
}

/** A line for each row with a value. */
export function known(rows: Rows): readonly string[] {
  return rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(15)} ${value}`],
  );
}

function collectionRows({ state, item }: CollectionCase): Rows {
  const { intent, push } = state;
  return [
    ['asked for', money(intent.amountMinor, item.currency)],
    [
      'arrived',
      state.status === 'in_suspense' ? money(state.arrivedMinor, item.currency) : undefined,
    ],
    ['posted', state.status === 'completed' ? money(state.postedMinor, item.currency) : undefined],
    ['fee', state.status === 'completed' ? money(item.fee_minor, item.currency) : undefined],
    [
      'refunded',
      item.refunded_minor === undefined ? undefined : money(item.refunded_minor, item.currency),
    ],
    ['phone', intent.phoneMasked],
    [
      'rail reference',
      intent.origin === 'c2b'
        ? 'none: nothing was pushed'
        : (item.rail_reference ?? pushText[push.kind]),
    ],
    ['statement code', intent.accountReference],
  ];
}

function payoutRows({ state, item, asked }: PayoutCase): Rows {
  const { request } = state;
  return [
    ['amount', money(request.amountMinor, item.currency)],
    ['fee', money(request.feeMinor, item.currency)],
    ['phone', request.phoneMasked],
    ['batch', request.batch],
    ['refund of', request.refund?.reference],
    ['reverses', request.refund?.reverses],
    ['asked by', request.holder],
    ['approved by', 'approvedBy' in state ? state.approvedBy : undefined],
    ['rejected by', state.status === 'rejected' ? state.rejectedBy : undefined],
    ['waits for float', state.status === 'approved' ? state.waitingForFloatSince : undefined],
    ['sent as', 'originatorConversationId' in state ? state.originatorConversationId : 'not sent'],
    ['rail reference', item.rail_reference ?? undefined],
    ['rail was asked', asked && `${asked.asked} times, last answer: ${asked.answer ?? 'none'}`],
  ];
}

const pushText = {
  unknown: 'not known: it is not known whether a prompt was shown',
  rejected: 'none: the rail refused the push',
  accepted: 'none',
} as const;

function failureIn({ failure_code: code, type }: Case['item']): Parameters<typeof statusWords>[1] {
  return code === null ? undefined : { code, type };
}

/** Each event with its time, place, author and data, but without any number that identifies a customer. */
export function eventSection(events: readonly RecordedEvent[]): readonly string[] {
  const rows = events.map((event) => [
    String(event.revision),
    event.recordedAt,
    String(event.position),
    event.type,
    actorText(event),
    dataText(event),
  ]);
  return section('events', table(['#', 'time', 'position', 'event', 'by', 'what'], rows));
}

/** The event's author. If an operator's name was typed, the holder is the machine (PEO-11), not a person. */
export function actorText({ metadata: { actor } }: RecordedEvent): string {
  const { kind, id, holder = id } = actor;
  return `${kind} ${kind === 'operator' ? id : holder}`;
}

/**
 * Members that every line would repeat, digests, which mean nothing to a reader, and the thousand references of a
 * batch.
 */
const left: ReadonlySet<string> = new Set([
  ...['merchantId', 'mode', 'reference', 'phoneHmac', 'requestCommitment', 'railCommitment'],
  'references',
]);

/** @param alsoLeft members that another column shows */
export function dataText(
  { data, metadata }: RecordedEvent,
  alsoLeft: ReadonlySet<string> = new Set(),
): string {
  const members = Object.entries(data)
    .filter(([name]) => !left.has(name) && !alsoLeft.has(name))
    .map(([name, member]: [string, unknown]) => {
      if (name === 'legs') return legsText(member);
      return `${name}=${typeof member === 'string' ? member : writeJson(member)}`;
    });
  const { reason } = metadata;
  return [
    ...members,
    ...(reason === undefined || 'reason' in data ? [] : [`reason=${reason}`]),
  ].join(' ');
}

function legsText(member: unknown): string {
  const legs = member as readonly { readonly account: string; readonly amountMinor: bigint }[];
  const parts = legs.map(
    ({ account, amountMinor }) => `${account} ${amountMinor > 0n ? '+' : ''}${amountMinor}`,
  );
  return `legs=[${parts.join(', ')}]`;
}

/** The queries to the rail, and the rail's messages. */
export function triedSections({ file }: Case): readonly string[] {
  const at = (date: Date): string => instantFromMs(date.getTime());
  return [
    ...section(
      'status queries',
      file.queries.length === 0
        ? []
        : table(
            ['#', 'time', 'outcome'],
            file.queries.map((query) => [
              String(query.attempt),
              at(query.attemptedAt),
              query.outcome,
            ]),
          ),
    ),
    ...section(
      'callbacks in the inbox',
      file.inbox.length === 0
        ? []
        : table(
            ['received', 'tries', 'applied', 'from', 'outcome', 'id'],
            file.inbox.map((row) => [
              at(row.receivedAt),
              String(row.attempts),
              row.appliedAt ? at(row.appliedAt) : 'not yet',
              `${row.sourceAddress}${row.trusted ? '' : ' (not the rail’s)'}`,
              row.outcome ?? '',
              row.id,
            ]),
          ),
    ),
    ...section(
      'the rail’s messages, kept encrypted',
      file.messages.length === 0
        ? []
        : table(
            ['received', 'id'],
            file.messages.map(({ id, receivedAt }) => [at(receivedAt), id]),
          ),
    ),
  ];
}

/** Every proposal of an operator, and how it ended. */
export function proposalSection({ proposals, item }: Case): readonly string[] {
  return section(
    'proposals',
    proposals.length === 0
      ? []
      : table(
          ['proposed', 'by', 'decision', 'ended', 'reason'],
          proposals.map((proposal) => [
            instantFromMs(proposal.proposedAt.getTime()),
            proposal.proposedBy,
            rulingText(proposal, item.currency),
            proposal.endedAt
              ? `${proposal.outcome ?? ''} ${instantFromMs(proposal.endedAt.getTime())}`
              : 'waits for another operator',
            proposal.reason,
          ]),
        ),
  );
}

export function rulingText(
  { decision, receipt, amountMinor, paidAt }: StoredReviewProposal,
  currency: string,
): string {
  return [
    decision,
    ...(receipt === null ? [] : [`receipt ${receipt}`]),
    ...(amountMinor === null ? [] : [money(amountMinor, currency)]),
    ...(paidAt === null ? [] : [`paid ${instantFromMs(paidAt.getTime())}`]),
  ].join(', ');
}

/** @param now tells due actions from overdue ones */
export function nextSection(actions: readonly NextAction[], now: Instant): readonly string[] {
  return section(
    'next',
    actions.map((action) => {
      const { by, at } = action;
      const what = nextText(action);
      const who = by === 'nobody' ? 'done' : by === 'person' ? 'a person' : 'the service';
      if (at === undefined) return `${who}: ${what}`;
      return `${who}: ${what}, ${at < now ? 'due since' : 'from'} ${at}${at < now ? '' : ' on'}`;
    }),
  );
}

const commandsOf: Readonly<Partial<Record<NextAction['code'], string>>> = {
  decides_review: 'review show',
  approves_payout: 'payout approve, payout reject',
  approves_its_batch: 'payout batch approve, payout batch reject',
  approves_batch: 'payout batch approve, payout batch reject',
  sends_batch: 'payout list',
  batch_cancelled: 'payout list',
};

/** The action as a sentence, with the commands for it. */
export function nextText({ code, values = [] }: NextAction): string {
  const words: (...values: readonly (string | number)[]) => string = next[code];
  const commands = commandsOf[code];
  return words(...values) + (commands === undefined ? '' : `: ${commands}`);
}
