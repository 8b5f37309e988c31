import { Database } from '#infra/postgres';
import { endNotice, noteWaiting, type Notice, takeNotices } from '#records/operations';
import { Metrics } from '#infra/runtime';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { type Channel } from './channel.js';
import { channelsOf, NoticeOptions } from './channels.js';
import { listFailureContacts } from '#records/webhooks';
import { type FindContact } from './merchant-mail.js';
import { WaitingItems } from './waiting-items.js';

const maxAtOnce = 20;
/** With the pauses between them, these take an hour. */
const maxAttempts = 8;

/** Tells people which items wait for two of them, by the channels in the settings. */
@Injectable()
export class NoticesStep implements OnModuleDestroy {
  private readonly log = new Logger('notices');
  private readonly channels: ReadonlyMap<string, Channel>;
  private readonly counts;

  constructor(
    private readonly waiting: WaitingItems,
    private readonly database: Database,
    options: NoticeOptions,
    metrics: Metrics,
  ) {
    const channels = channelsOf(options, (endpoint) => contactOf(database, endpoint));
    this.channels = new Map(channels.map((channel) => [channel.name, channel]));
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
    const { items, isWhole, failure } = await this.waiting.list();
    const names = [...this.channels.values()].map(({ name }) => name);
    await noteWaiting(this.database, items, names, isWhole);
    const due = await takeNotices(this.database, maxAtOnce);
    await Promise.all(due.map((notice) => this.send(notice)));
    // The loop counts and logs this like any failure of a step.
    if (failure) throw failure;
    return due.length === maxAtOnce ? 'busy' : 'idle';
  }

  /** Sends one notice. A channel's failure affects only that channel: the others, and the next step, continue. */
  private async send(notice: Notice): Promise<void> {
    const { channel, attempts, kind, id } = notice;
    try {
      // A channel that is no longer in the settings sends nothing, and its notices end by themselves.
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
      if (isLast) await endNotice(this.database, notice, 'failed');
      return;
    }
    await endNotice(this.database, notice, 'told');
    this.counts.inc({ channel, outcome: 'told' });
  }

  onModuleDestroy(): void {
    for (const channel of this.channels.values()) channel.close();
  }
}

async function contactOf(
  database: Database,
  { merchantId, mode, kind }: Parameters<FindContact>[0],
): Promise<string | undefined> {
  if (mode === undefined) return undefined;
  return (await listFailureContacts(database, { merchantId, mode })).get(kind);
}
