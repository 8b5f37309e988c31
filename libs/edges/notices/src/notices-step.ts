import { type BreakGlass, RoleProposals } from '#domain/people';
import { Proposals } from '#domain/proposals';
import { Database, type Queryable } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { listCorrections } from '#views/balances';
import { CaseRecords, itemOf } from '#views/cases';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type Channel, channelsOf, NoticeOptions } from './channels.js';
import { type NewNotice, NoticeBook, type Notice } from './notice-book.js';

/** Of each kind; a team that lets more wait looks at the page itself. */
const maxOfKind = 200;
const maxAtOnce = 20;
/** An hour, with the pauses between them. */
const maxAttempts = 8;

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

/** What waits for a second person, whoever asked. */
@Injectable()
export class WaitingItems {
  constructor(
    private readonly database: Database,
    private readonly records: CaseRecords,
    private readonly roles: RoleProposals,
    private readonly proposals: Proposals,
    private readonly admins: AnnouncedAdmins,
  ) {}

  /** @throws DependencyUnavailable */
  async list(): Promise<{ readonly items: readonly NewNotice[]; readonly isWhole: boolean }> {
    const [announced, reviews, corrections, roles, changes] = await Promise.all([
      this.admins.waiting(),
      this.records.openProposals(maxOfKind),
      openCorrections(this.database),
      this.roles.listOpen(),
      this.proposals.listOpen(maxOfKind),
    ]);
    return {
      items: [
        ...(announced
          ? [
              {
                kind: 'break_glass',
                id: announced.id,
                name: announced.name,
                mode: undefined,
              } as const,
            ]
          : []),
        ...reviews.map(({ id, stream, mode }) => ({
          ...({ kind: 'review', id, mode } as const),
          name: withoutPhone(itemOf(stream)?.key.reference ?? stream),
        })),
        ...corrections.items,
        ...roles.slice(0, maxOfKind).map(({ id, terms }) => ({
          ...({ kind: 'role', id, name: terms.role, mode: undefined } as const),
        })),
        // Its kind and its rows stay out: they name a holder, a number or a bound (PEO-20).
        ...changes.map(({ id, mode }) => ({
          ...({ kind: 'proposal', id, name: id.slice(0, 8), mode } as const),
        })),
      ],
      isWhole:
        !corrections.more && [reviews, roles, changes].every(({ length }) => length < maxOfKind),
    };
  }
}

async function openCorrections(
  database: Queryable,
): Promise<{ readonly items: readonly NewNotice[]; readonly more: boolean }> {
  const { corrections, more } = await listCorrections(database, { open: true, limit: maxOfKind });
  const items = corrections.map(({ id, mode }) => ({
    ...({ kind: 'correction', id, mode } as const),
    name: id.slice(0, 8),
  }));
  return { items, more };
}

/** Tells people what waits for two of them, by the channels that the settings name. */
@Injectable()
export class NoticesStep implements OnModuleDestroy {
  private readonly log = new Logger('notices');
  private readonly channels: ReadonlyMap<string, Channel>;
  private readonly counts;

  constructor(
    private readonly waiting: WaitingItems,
    private readonly book: NoticeBook,
    options: NoticeOptions,
    metrics: Metrics,
  ) {
    this.channels = new Map(channelsOf(options).map((channel) => [channel.name, channel]));
    this.counts = metrics.counter({
      name: 'notices_total',
      help: 'Messages about what waits for two people, by channel; failed: an attempt was not taken',
      labels: ['channel', 'outcome'],
    });
    for (const channel of this.channels.keys())
      for (const outcome of ['told', 'failed']) this.counts.inc({ channel, outcome }, 0);
  }

  /** @throws DependencyUnavailable */
  async step(): Promise<'idle' | 'busy'> {
    if (this.channels.size === 0) return 'idle';
    const { items, isWhole } = await this.waiting.list();
    const names = [...this.channels.values()].map(({ name }) => name);
    await this.book.note(items, names, isWhole);
    const due = await this.book.take(maxAtOnce);
    await Promise.all(due.map((notice) => this.send(notice)));
    return due.length === maxAtOnce ? 'busy' : 'idle';
  }

  /** A channel's failure concerns that channel alone: the others, and the next step, go on. */
  private async send(notice: Notice): Promise<void> {
    const { channel, attempts, kind, id } = notice;
    try {
      // A channel that the settings name no more takes nothing, and its notices end by themselves.
      await this.channels.get(channel)?.send(notice);
    } catch (error) {
      this.counts.inc({ channel, outcome: 'failed' });
      const isLast = attempts >= maxAttempts;
      const next = isLast ? 'it is given up' : 'it is tried again';
      this.log.warn({
        msg: `a notice was not taken; ${next}`,
        kind,
        id,
        channel,
        attempts,
        err: error,
      });
      if (isLast) await this.book.end(notice, 'failed');
      return;
    }
    await this.book.end(notice, 'told');
    this.counts.inc({ channel, outcome: 'told' });
  }

  onModuleDestroy(): void {
    for (const channel of this.channels.values()) channel.close();
  }
}
