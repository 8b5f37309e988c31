import { type BreakGlass, RoleProposals } from '#domain/people';
import { Proposals } from '#domain/proposals';
import { Database, type Queryable } from '#infra/postgres';
import { listCorrections } from '#views/balances';
import { CaseRecords, itemOf } from '#views/cases';
import { Injectable } from '@nestjs/common';
import { type NewNotice } from './notice-book.js';

/** Of each kind; a team that lets more wait looks at the page itself. */
const maxOfKind = 200;

/** A number of Kenya's in a reference, with its prefix or without, also where letters stand beside it. */
const phone = /(?<!\d)((?:254|0)?[17])\d{5}(\d{3})(?!\d)/g;

/** V3 takes a customer's number for a reference, and a chat is no place for one (PEO-20). */
function withoutPhone(reference: string): string {
  return reference.replace(phone, '$1*****$2');
}

/** The announcement of a new admin, from the log. */
export abstract class AnnouncedAdmins {
  /** @throws DependencyUnavailable */
  abstract waiting(): Promise<BreakGlass | undefined>;
}

/** Items of which `isWhole` says that no other waits. */
interface Waiting {
  readonly items: readonly NewNotice[];
  readonly isWhole: boolean;
}

/** Proposals that the records keep. */
@Injectable()
export class WaitingInRecords {
  constructor(
    private readonly records: CaseRecords,
    private readonly roles: RoleProposals,
    private readonly proposals: Proposals,
  ) {}

  /** @throws DependencyUnavailable */
  async list(): Promise<Waiting> {
    const [reviews, roles, changes] = await Promise.all([
      this.records.openProposals(maxOfKind),
      this.roles.listOpen(),
      this.proposals.listOpen(maxOfKind),
    ]);
    return {
      items: [
        ...reviews.map(({ id, stream, mode }) => ({
          ...({ kind: 'review', id, mode } as const),
          name: withoutPhone(itemOf(stream)?.key.reference ?? stream),
        })),
        ...roles.slice(0, maxOfKind).map(({ id, terms }) => ({
          ...({ kind: 'role', id, name: terms.role, mode: undefined } as const),
        })),
        // Its kind and its rows stay out: they name a holder, a number or a bound (PEO-20).
        ...changes.map(({ id, mode }) => ({
          ...({ kind: 'proposal', id, name: id.slice(0, 8), mode } as const),
        })),
      ],
      isWhole: [reviews, roles, changes].every(({ length }) => length < maxOfKind),
    };
  }
}

/** Everything that waits for a second person, and the announced admin. */
@Injectable()
export class WaitingItems {
  constructor(
    private readonly database: Database,
    private readonly inRecords: WaitingInRecords,
    private readonly admins: AnnouncedAdmins,
  ) {}

  /**
   * Corrections are read from the views. If these cannot be read, the rest is listed all the same, with the failure.
   * @throws DependencyUnavailable
   */
  async list(): Promise<Waiting & { readonly failure?: Error }> {
    const [announced, recorded, corrections] = await Promise.all([
      this.admins.waiting(),
      this.inRecords.list(),
      openCorrections(this.database).catch(unread),
    ]);
    return {
      ...corrections,
      items: [
        ...(announced ? [announcement(announced)] : []),
        ...recorded.items,
        ...corrections.items,
      ],
      isWhole: recorded.isWhole && corrections.isWhole,
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
