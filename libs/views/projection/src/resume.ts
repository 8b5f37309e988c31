import { type RecordedEvent, type UnreadableEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { applyIsolated, HeldBack } from './apply-batch.js';
import {
  endQuarantines,
  moveQuarantines,
  type Partition,
  partitionOf,
  putQuarantines,
  type Quarantine,
  quarantinesOf,
  type Scope,
} from '#views/view-set';

/** Some of the events that were held back, in log order. */
export interface Resumption {
  readonly merchantId: string;
  /** Those that are tried; what failed before in the same retry is not among them. */
  readonly scopes: readonly Scope[];
  readonly events: readonly RecordedEvent[];
  readonly unreadable: readonly UnreadableEvent[];
  /** All of the scopes' events up to here, after where the hindmost stands, are among these. */
  readonly upTo: bigint;
  /** `upTo` is the checkpoint: what does not fail goes on with all others. */
  readonly isEnd: boolean;
}

/**
 * Applies a part of what was held back, inside its own transaction.
 * @returns the scopes that stand still again
 */
export async function resume(
  transaction: Queryable,
  { merchantId, scopes, events, unreadable, upTo, isEnd }: Resumption,
): Promise<readonly Scope[]> {
  const all = await quarantinesOf(transaction, merchantId);
  const tried = all.filter(({ scope }) => scopes.includes(scope));
  const others = all.filter(({ scope }) => !scopes.includes(scope));
  const held = new HeldBack(others);
  const batch = {
    events: events.filter(isFor(tried)),
    unreadable: unreadable.filter(({ place }) => isFor(tried)(place)),
    from: tried.reduce((least, { appliedTo }) => (appliedTo < least ? appliedTo : least), upTo),
  };
  await applyIsolated(transaction, batch, held);
  const failed = held.added.map(({ scope }) => scope);
  const well = tried.map(({ scope }) => scope).filter((scope) => !failed.includes(scope));
  if (held.added.length > 0) await putQuarantines(transaction, held.added);
  if (isEnd) await endQuarantines(transaction, merchantId, well);
  else await moveQuarantines(transaction, merchantId, well, upTo);
  return failed;
}

/** Whether the event is of one of the scopes and not applied yet. */
function isFor(
  tried: readonly Quarantine[],
): (event: Parameters<typeof partitionOf>[0] & { readonly position: bigint }) => boolean {
  return (event) => {
    const partition: Partition | undefined = partitionOf(event);
    const of = tried.find(
      ({ merchantId, scope }) => partition?.merchantId === merchantId && partition.scope === scope,
    );
    return of !== undefined && event.position > of.appliedTo;
  };
}
