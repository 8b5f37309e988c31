import { railNameOf } from '#shared/glossary';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Minor, writeJson } from '#domain/kernel';
import { type Case } from '#desk/operators';
import { type OwedDelivery } from '#records/webhooks';
import { type StoredReviewProposal } from '#records/reviews';

/** A detail of an entry: a member of the event by its own name, an amount, a leg, a text. */
export type Detail =
  | { readonly kind: 'member'; readonly name: string; readonly value: string }
  | { readonly kind: 'amount'; readonly name: string; readonly minor: Minor }
  | { readonly kind: 'leg'; readonly account: string; readonly minor: Minor };

type EventType = Case['events'][number]['type'];

/** The content of an entry, with its own facts. */
export type Happening =
  | {
      readonly kind: 'event';
      readonly type: EventType;
      readonly position: bigint;
      readonly by: string;
      readonly details: readonly Detail[];
      /** The evidence of the event: a merchant's signed request, or the rail's report. The timeline never opens it. */
      readonly evidence: 'request' | 'report' | undefined;
    }
  | { readonly kind: 'query'; readonly attempt: number; readonly outcome: string }
  | { readonly kind: 'payout_queries'; readonly asked: number; readonly answer: string | null }
  | {
      readonly kind: 'callback';
      readonly id: string;
      readonly from: string;
      readonly trusted: boolean;
      readonly tries: number;
      readonly outcome: string | null;
      readonly nextTry: Date | undefined;
    }
  | { readonly kind: 'callback_applied'; readonly id: string; readonly outcome: string | null }
  | { readonly kind: 'message'; readonly id: string }
  | { readonly kind: 'proposed'; readonly proposal: StoredReviewProposal }
  | { readonly kind: 'proposal_ended'; readonly proposal: StoredReviewProposal }
  | { readonly kind: 'owed'; readonly delivery: OwedDelivery }
  | { readonly kind: 'delivery_ended'; readonly delivery: OwedDelivery };

export interface Entry {
  readonly at: Date;
  readonly what: Happening;
  /** Ids of the stored messages that belong to this step. */
  readonly messages?: readonly string[];
}

/** The whole timeline of a collection or payout, in the order of time. At the same instant, events come first. */
export function timelineOf(found: Case, deliveries: readonly OwedDelivery[]): readonly Entry[] {
  const entries = [
    ...found.events.map(eventEntry),
    ...queries(found),
    ...callbacks(found),
    ...found.file.messages.map(({ id, receivedAt }) => entry(receivedAt, { kind: 'message', id })),
    ...found.proposals.flatMap(proposalEntries),
    ...deliveries.flatMap(deliveryEntries),
  ];
  return withMessages(entries.toSorted((one, other) => one.at.getTime() - other.at.getTime()));
}

/**
 * Folds each stored message into the step that it led to: the next one, or the last if none follows. A message without
 * any step is an entry of its own.
 */
function withMessages(entries: readonly Entry[]): readonly Entry[] {
  const steps = entries.filter(({ what }) => what.kind !== 'message');
  if (steps.length === 0) return entries;
  const folded = new Map<Entry, string[]>();
  for (const { at, what } of entries) {
    if (what.kind !== 'message') continue;
    const step = steps.find((each) => each.at.getTime() >= at.getTime()) ?? steps.at(-1);
    if (step) folded.set(step, [...(folded.get(step) ?? []), what.id]);
  }
  return steps.map((step) => {
    const messages = folded.get(step);
    return messages ? { ...step, messages } : step;
  });
}

function entry(at: Date, what: Happening): Entry {
  return { at, what };
}

/** Members that every entry would repeat, and digests, which mean nothing to a reader. */
const left: ReadonlySet<string> = new Set([
  ...['merchantId', 'mode', 'reference', 'currency'],
  ...['phoneHmac', 'requestCommitment', 'railCommitment', 'callbackUrl'],
]);

function eventEntry(event: Case['events'][number]): Entry {
  const { type, position, recordedAt, metadata } = event;
  const { actor, evidence, reason } = metadata;
  const details = Object.entries(event.data)
    .filter(([name]) => !left.has(name))
    .flatMap(([name, member]) => detailsOf(name, member as unknown));
  const why: readonly Detail[] =
    reason === undefined || 'reason' in event.data
      ? []
      : [{ kind: 'member', name: 'reason', value: reason }];
  return entry(new Date(recordedAt), {
    kind: 'event',
    type,
    position,
    // If an operator's name was typed, the event's holder is the machine (PEO-11), not a person.
    by: actor.kind === 'operator' ? actor.id : (actor.holder ?? railName(actor)),
    details: [...details, ...why],
    evidence: evidence && (isAskedFor(event) ? 'request' : 'report'),
  });
}

/** The brand of the rail for people. Other actors keep their id. */
function railName({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return kind === 'rail' ? railNameOf(id) : id;
}

function isAskedFor({ type }: RecordedEvent): boolean {
  return type === 'CollectionIntentRecorded' || type.startsWith('Payout');
}

function detailsOf(name: string, member: unknown): readonly Detail[] {
  if (name === 'legs')
    return (member as readonly { readonly account: string; readonly amountMinor: Minor }[]).map(
      ({ account, amountMinor }) => ({ kind: 'leg', account, minor: amountMinor }),
    );
  if (typeof member === 'bigint' && name.endsWith('Minor'))
    return [{ kind: 'amount', name, minor: member }];
  const value = typeof member === 'object' && member !== null ? writeJson(member) : String(member);
  return [{ kind: 'member', name, value }];
}

function queries(found: Case): readonly Entry[] {
  const asked = found.type === 'payout' ? found.asked : undefined;
  return [
    ...found.file.queries.map(({ attempt, attemptedAt, outcome }) =>
      entry(attemptedAt, { kind: 'query', attempt, outcome }),
    ),
    ...(asked?.askedAt
      ? [
          entry(asked.askedAt, {
            kind: 'payout_queries',
            asked: asked.asked,
            answer: asked.answer,
          }),
        ]
      : []),
  ];
}

function callbacks({ file }: Case): readonly Entry[] {
  return file.inbox.flatMap((row) => {
    const { id, outcome, appliedAt } = row;
    return [
      entry(row.receivedAt, {
        kind: 'callback',
        id,
        from: row.sourceAddress,
        trusted: row.trusted,
        tries: row.attempts,
        outcome,
        nextTry: appliedAt ? undefined : row.nextAttemptAt,
      }),
      ...(appliedAt ? [entry(appliedAt, { kind: 'callback_applied', id, outcome })] : []),
    ];
  });
}

function proposalEntries(proposal: StoredReviewProposal): readonly Entry[] {
  return [
    entry(proposal.proposedAt, { kind: 'proposed', proposal }),
    ...(proposal.endedAt ? [entry(proposal.endedAt, { kind: 'proposal_ended', proposal })] : []),
  ];
}

function deliveryEntries(delivery: OwedDelivery): readonly Entry[] {
  return [
    entry(delivery.owedAt, { kind: 'owed', delivery }),
    ...(delivery.endedAt ? [entry(delivery.endedAt, { kind: 'delivery_ended', delivery })] : []),
  ];
}
