import { findOpenProposals } from '#records/reviews';
import { type BreakGlass, roleTermsFrom } from '#domain/people';
import { type OpenProposal, Proposals } from '#domain/proposals';
import { Database, type Queryable } from '#infra/postgres';
import { maskedReference } from '#infra/runtime';
import { listCorrections } from '#views/balances';
import { itemOf } from '#desk/operators';
import { AccessRequests } from '#records/people';
import { Injectable } from '@nestjs/common';
import { type NewNotice } from '#records/operations';
import { endingNow } from './ending-credentials.js';
import { failingNow } from './failing-endpoints.js';

/** The limit for each kind. A team with more waiting items reads the page itself. */
const maxOfKind = 200;

/** Reads the announcement of a new admin from the log. */
export abstract class AnnouncedAdmins {
  /** @throws DependencyUnavailable */
  abstract waiting(): Promise<BreakGlass | undefined>;
}

/** A list of items. If `isWhole` is true, no other item waits. */
interface Waiting {
  readonly items: readonly NewNotice[];
  readonly isWhole: boolean;
}

/** Lists the proposals in the records. */
@Injectable()
export class WaitingInRecords {
  private readonly requests: AccessRequests;

  constructor(
    private readonly database: Database,
    private readonly proposals: Proposals,
  ) {
    this.requests = new AccessRequests(database);
  }

  /** @throws DependencyUnavailable */
  async list(): Promise<Waiting> {
    const [reviews, changes, requests] = await Promise.all([
      findOpenProposals(this.database, maxOfKind),
      this.proposals.listOpen(maxOfKind),
      this.requests.listSent(maxOfKind),
    ]);
    return {
      items: [
        ...reviews.map(({ id, stream, mode }) => ({
          ...({ kind: 'review', id, mode } as const),
          // A chat must not show a customer's number, which V3 accepts as a reference (PEO-20).
          name: maskedReference(itemOf(stream)?.key.reference ?? stream),
        })),
        ...changes.map(changeNotice),
        ...requests.map(({ id, mode }) => ({
          kind: 'request' as const,
          id,
          name: id.slice(0, 8),
          mode,
        })),
      ],
      isWhole: [reviews, changes, requests].every(({ length }) => length < maxOfKind),
    };
  }
}

/** A notice names a change only if it is a role: the rows of others name a holder, a number or a limit (PEO-20). */
function changeNotice(change: OpenProposal): NewNotice {
  const { id, kind, mode } = change;
  return kind === 'role'
    ? { kind, id, name: roleTermsFrom(change).role, mode: undefined }
    : { kind: 'proposal', id, name: id.slice(0, 8), mode };
}

/**
 * Lists everything that waits for a second person, the announced admin, the endpoints that fail and the credentials that
 * end soon.
 */
@Injectable()
export class WaitingItems {
  constructor(
    private readonly database: Database,
    private readonly inRecords: WaitingInRecords,
    private readonly admins: AnnouncedAdmins,
  ) {}

  /**
   * Reads corrections, endpoints and credentials from the views. If these cannot be read, the rest is still listed, with the failure.
   * @throws DependencyUnavailable
   */
  async list(): Promise<Waiting & { readonly failure?: Error }> {
    const [announced, recorded, corrections, endpoints, ending] = await Promise.all([
      this.admins.waiting(),
      this.inRecords.list(),
      openCorrections(this.database).catch(unread),
      failingNow(this.database).catch(unread),
      endingNow(this.database).catch(unread),
    ]);
    return {
      ...corrections,
      ...endpoints,
      ...ending,
      items: [
        ...(announced ? [announcement(announced)] : []),
        ...recorded.items,
        ...corrections.items,
        ...endpoints.items,
        ...ending.items,
      ],
      isWhole: [recorded, corrections, endpoints, ending].every((list) => list.isWhole),
    };
  }
}

function announcement({ id, name }: BreakGlass): NewNotice {
  return { kind: 'break_glass', id, name, mode: undefined };
}

async function openCorrections(database: Queryable): Promise<Waiting> {
  const { corrections, more } = await listCorrections(database, { open: true, limit: maxOfKind });
  const items = corrections.map(({ id, mode }) => ({
    ...({ kind: 'correction', id, mode } as const),
    name: id.slice(0, 8),
  }));
  return { items, isWhole: !more };
}

function unread(failure: unknown): Waiting & { readonly failure: Error } {
  const error = failure instanceof Error ? failure : new Error(String(failure));
  return { items: [], isWhole: false, failure: error };
}
