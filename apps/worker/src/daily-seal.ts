import { type DayHead } from '#domain/audit';
import { Ids } from '#domain/kernel';
import {
  HistoryChanged,
  NoSealKey,
  readNewestHead,
  sealerOf,
  SealKeyReplaced,
  SealKeySigner,
  UnreadablePosting,
} from '#adapters/audit';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database, Lease } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { databaseNow } from '#views/view-set';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';

/** The time zone of the platform's days, from the settings. */
export class PlatformDays {
  constructor(readonly timezone: string) {}
}

/** The servers that the step reads and writes. */
@Injectable()
export class SealServers {
  constructor(
    readonly database: Database,
    readonly store: EventStoreDb,
  ) {}
}

/** The parts of the process that the step uses. */
@Injectable()
export class SealParts {
  constructor(
    readonly ids: Ids,
    readonly metrics: Metrics,
    readonly days: PlatformDays,
  ) {}
}

/** Longer than reading the log of a day takes. The lease only keeps a second worker from doing the same work. */
const leaseMs = 600_000;

/** Label values of the metric. */
const whys = {
  changed: 'history_changed',
  replaced: 'key_replaced',
  unreadable: 'unreadable_posting',
  other: 'other',
} as const;

function whyOf(error: unknown): (typeof whys)[keyof typeof whys] {
  if (error instanceof HistoryChanged) return whys.changed;
  if (error instanceof SealKeyReplaced) return whys.replaced;
  return error instanceof UnreadablePosting ? whys.unreadable : whys.other;
}

/** Seals each day a few minutes after its end, and missed days too, oldest first (AUD-17). */
@Injectable()
export class DailySeal {
  private readonly log = new Logger('audit');
  private readonly sealedUntil;
  private readonly failures;
  /** The due time of the next seal, as far as it is known. */
  private dueMs = 0;
  private saidThatThereIsNoKey = false;

  constructor(
    private readonly servers: SealServers,
    private readonly bus: CommandBus,
    private readonly signer: SealKeySigner,
    private readonly parts: SealParts,
  ) {
    const { metrics } = parts;
    this.sealedUntil = metrics.gauge({
      name: 'audit_sealed_until',
      help: 'The last sealed day, as Unix seconds of its date in UTC; 0 before the first',
    });
    this.failures = metrics.counter({
      name: 'audit_seal_failures_total',
      help: 'Days that could not be sealed; history_changed: what was sealed is not in history any more',
      labels: ['why'],
    });
    for (const why of Object.values(whys)) this.failures.inc({ why }, 0);
  }

  /** @throws any error that prevents the seal; the next step tries again */
  async step(signal: AbortSignal): Promise<'idle' | 'busy'> {
    const { ids, days } = this.parts;
    if ((await databaseNow(this.servers.database)).getTime() < this.dueMs) return 'idle';
    if (!this.signer.isSet) return this.sayThatThereIsNoKey();
    const lease = new Lease(this.servers.database, {
      name: 'audit-seal',
      holder: ids.next(),
      durationMs: leaseMs,
    });
    if ((await lease.tryAcquire()) === undefined) return 'idle';
    const { bus } = this;
    const { database, store } = this.servers;
    const sealer = sealerOf({ log: store, store, database, bus, ids, timezone: days.timezone });
    try {
      for (const head of await sealer.run(signal)) this.tell(head);
      const last = await readNewestHead(store);
      if (last) this.sealedUntil.set(Date.parse(last.head.date) / 1000);
      this.dueMs = Date.parse((await sealer.nextAt()) ?? '') || 0;
    } catch (error) {
      this.fail(error);
      throw error;
    } finally {
      await lease.release();
    }
    return 'idle';
  }

  private tell({ date, treeSize, root }: DayHead): void {
    this.log.log({ msg: 'a day was sealed', date, treeSize, root });
  }

  private fail(error: unknown): void {
    const why = whyOf(error);
    this.failures.inc({ why });
    if (why === whys.changed)
      this.log.error({ msg: 'HISTORY CHANGED: nothing is sealed, run audit check', err: error });
    if (why === whys.unreadable)
      this.log.error({ msg: 'NOTHING IS SEALED: a posting cannot be read', err: error });
  }

  private sayThatThereIsNoKey(): 'idle' {
    if (!this.saidThatThereIsNoKey) this.log.warn(new NoSealKey().message);
    this.saidThatThereIsNoKey = true;
    return 'idle';
  }
}
