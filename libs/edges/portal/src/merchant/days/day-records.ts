import { type AccountDay, handledExceptions } from '#records/people';
import { type CommandMetadata, EventStore } from '#domain/event-sourcing';
import { concurrently, type Minor } from '#domain/kernel';
import { permits, personId } from '#domain/people';
import {
  type DifferencesNoted,
  NoteDifferences,
  type ReconciliationRecorded,
  reconciliationStream,
  RecordReconciliation,
  StatementRefused,
} from '#domain/reconciliation';
import { postSweeps } from '#desk/operators';
import { Database, ReadDatabase } from '#infra/postgres';
import { readFigures } from '#views/day-figures';
import {
  type AccountRail,
  accountRails,
  type ListedReconciliation,
  listReconciliations,
  recordOf,
  settledSince,
  TooManyUnmatched,
} from '#views/reconciliations';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Viewer } from '../../access/viewer.js';
import { MerchantPagesOptions } from '../options.js';
import { type Account, type Place } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { comparisonKey } from './comparison-key.js';
import { Comparisons } from './comparisons.js';
import { type RecordedDay } from './day-page.js';
import { type DayFigures } from './days-page.js';
import { type Upload } from './upload.js';

const none: DayFigures = { collectedMinor: 0n, paidOutMinor: 0n };
const dayMs = 86_400_000;
/** Most reconciliations that a page reads: a day may be reconciled again. */
const maxRecorded = 500;
const readsAtOnce = 8;

/** Reads recorded reconciliations of days. */
@Injectable()
export class DayRecords {
  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly views: ReadDatabase,
    private readonly options: MerchantPagesOptions,
  ) {}

  /** @throws DependencyUnavailable */
  handled(day: AccountDay): ReturnType<typeof handledExceptions> {
    return handledExceptions(this.database, day);
  }

  /**
   * The newest reconciliation of each day with the statement of each rail, by `comparisonKey`.
   * @throws DependencyUnavailable
   */
  async of(
    { accountNo }: Account,
    { from, to }: { readonly from: string; readonly to: string },
  ): Promise<ReadonlyMap<string, ListedReconciliation>> {
    const filter = { accountNo, from, to, limit: maxRecorded };
    const { reconciliations } = await listReconciliations(this.database, filter);
    return new Map(
      reconciliations.toReversed().map((each) => [comparisonKey(each.date, each.channel), each]),
    );
  }

  /**
   * The ledger's figures of the days that have any, in one query.
   * @throws DependencyUnavailable
   */
  async figures(
    { merchantId, mode }: Place,
    { accountNo }: Account,
    days: { readonly from: string; readonly to: string },
  ): Promise<ReadonlyMap<string, DayFigures>> {
    const asked = { merchantId, mode, accountNo, ...days };
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const read = await readFigures(this.views, asked, bound);
    const figures = new Map<string, DayFigures>();
    for (const { day, type, status, amountMinor } of read.days) {
      if (status !== 'completed') continue;
      const { collectedMinor, paidOutMinor } = figures.get(day) ?? none;
      figures.set(
        day,
        type === 'collection'
          ? { collectedMinor: collectedMinor + amountMinor, paidOutMinor }
          : { collectedMinor, paidOutMinor: paidOutMinor + amountMinor },
      );
    }
    return figures;
  }

  /**
   * The rails of the account.
   * @throws DependencyUnavailable
   */
  rails(place: Place, account: Account): Promise<readonly AccountRail[]> {
    return accountRails(this.views, place, account);
  }

  /**
   * The difference of each comparison, from its own event, by the keys of the comparisons.
   * @throws DependencyUnavailable
   */
  async differences(
    reconciled: ReadonlyMap<string, ListedReconciliation>,
  ): Promise<ReadonlyMap<string, Minor>> {
    const differences = new Map<string, Minor>();
    await concurrently([...reconciled], readsAtOnce, async ([key, listed]) => {
      const event = await this.eventOf(listed);
      if (!event) return;
      const { statementInMinor, statementOutMinor, collectionsMinor, payoutsMinor } = event.data;
      differences.set(
        key,
        statementInMinor - statementOutMinor - (collectionsMinor - payoutsMinor),
      );
    });
    return differences;
  }

  private async eventOf({ revision }: ListedReconciliation) {
    const [event] = await this.store.readStream<ReconciliationRecorded>(
      reconciliationStream,
      revision,
      1,
    );
    return event;
  }

  /**
   * The newest reconciliation of a day with a rail's statement, as its event has it.
   * @throws DependencyUnavailable
   */
  async newest(
    account: Account,
    { day, channel }: { readonly day: string; readonly channel: string },
    { ends, now }: { readonly ends: Date; readonly now: Date },
  ): Promise<RecordedDay | undefined> {
    const listed = (await this.of(account, { from: day, to: day })).get(
      comparisonKey(day, channel),
    );
    if (!listed) return undefined;
    const event = await this.eventOf(listed);
    if (!event) return undefined;
    const { data, metadata, recordedAt } = event;
    const ageDays = Math.max(0, Math.floor((now.getTime() - ends.getTime()) / dayMs));
    const settled = await settledSince(this.database, data, recordedAt);
    const { wasOver } = listed;
    return { data, by: metadata.actor.id, at: recordedAt, wasOver, ageDays, settled };
  }
}

/** Records reconciliations and notes. */
@Injectable()
export class DayClosing {
  constructor(
    private readonly commands: CommandBus,
    private readonly comparisons: Comparisons,
  ) {}

  /**
   * Records what was done about open lines; earlier notes stay.
   * @throws DependencyUnavailable
   */
  async note(
    data: DifferencesNoted['data'],
    { viewer, requestId }: { readonly viewer: Viewer; readonly requestId: string },
  ): Promise<void> {
    await this.commands.execute(new NoteDifferences(data, metadataOf(viewer, requestId)));
  }

  /**
   * Compares a day with the rail's file and records the result, as the command line does.
   * @returns why the file is refused, or undefined if the result is recorded
   * @throws DependencyUnavailable
   */
  async close(
    {
      account,
      day,
      channel,
      upload,
    }: {
      readonly account: Account;
      readonly day: string;
      readonly channel: string;
      readonly upload: Upload;
    },
    { viewer, requestId }: { readonly viewer: Viewer; readonly requestId: string },
  ): Promise<string | undefined> {
    try {
      const by = permits(viewer.roles, 'day.close') ? 'platform' : 'merchant';
      const report = await this.comparisons.compare(account, { day, channel }, { upload, by });
      if (!report) return merchantTexts(viewer).days.busy;
      const metadata = metadataOf(viewer, requestId);
      await postSweeps(this.commands, report, metadata);
      await this.commands.execute(new RecordReconciliation(recordOf(report), metadata));
      return undefined;
    } catch (error) {
      if (error instanceof StatementRefused || error instanceof TooManyUnmatched)
        return error.message;
      throw error;
    }
  }
}

function metadataOf(viewer: Viewer, correlationId: string): CommandMetadata {
  return { correlationId, actor: { kind: 'operator', id: personId(viewer.person) } };
}
