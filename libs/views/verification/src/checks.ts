import { collectionEventTypes } from '#domain/collections';
import { payoutEventTypes } from '#domain/payouts';
import { type EventStore, type Position, type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { type ItemEvent, type TransactionRow } from '#views/transactions';
import { checkAccountDays } from './account-days-check.js';
import { ActsCheck } from './acts-check.js';
import { BalanceCheck } from './balance-check.js';
import { ClaimsCheck } from './claims-check.js';
import { CorrectionsCheck, isCorrectionEvent, isReservationEvent } from './corrections-check.js';
import { checkDayFigures } from './day-figures-check.js';
import { checkDays } from './days-check.js';
import { type Differences } from './difference.js';
import { type QuarantinedEvents } from './quarantined-events.js';
import { LedgerCheck, type LedgerPart, type Posting } from './ledger-check.js';
import { ListCheck } from './list-check.js';
import { type Losses } from './losses.js';
import { isPayoutBatchEvent } from './payout-batches-check.js';
import { isPauseEvent, isTermsEvent, PayoutsCheck } from './payouts-check.js';
import { isReconciliationEvent, ReconciliationsCheck } from './reconciliations-check.js';
import { ReceiptsCheck } from './receipts-check.js';
import { checkSections } from './sections-check.js';
import { isSettlementEvent, SettlementsCheck } from './settlements-check.js';
import { type Snapshots } from './snapshots.js';
import { checkStrays } from './strays-check.js';
import { isEndpointEvent, WebhooksCheck } from './webhooks-check.js';

/** The input of the checks, and the collector of their findings. */
interface Compared {
  readonly store: EventStore;
  readonly snapshots: Snapshots;
  readonly differences: Differences;
  readonly losses: Losses;
}

/** All checks of a walk through the log; they receive the events to compare. */
export class Checks {
  /** Events with legs. */
  postings = 0;
  /** Events that no view contains yet. */
  held = 0;
  readonly ledger: LedgerCheck;
  readonly balances = new BalanceCheck();
  readonly corrections: CorrectionsCheck;
  readonly payouts = new PayoutsCheck();
  readonly receipts = new ReceiptsCheck();
  private readonly reconciliations = new ReconciliationsCheck();
  private readonly settlements = new SettlementsCheck();
  private readonly acts: ActsCheck;
  private readonly webhooks = new WebhooksCheck();

  private constructor(
    private readonly compared: Compared,
    readonly list: ListCheck,
    readonly claims: ClaimsCheck,
    part: LedgerPart,
  ) {
    const { snapshots, differences } = compared;
    this.ledger = new LedgerCheck(snapshots, differences, part);
    this.acts = new ActsCheck(snapshots, differences, part.end);
    this.corrections = new CorrectionsCheck(differences);
  }

  /** @param first `part`: the first part of the walk; `isIn`: true if the compared views should contain the event */
  static async begin(
    compared: Compared,
    first: {
      readonly part: LedgerPart;
      readonly isIn: (event: RecordedEvent) => boolean;
      readonly maxHeld: number;
    },
  ): Promise<Checks> {
    const claims = await ClaimsCheck.begin(compared.snapshots, compared.losses);
    const { part, ...rows } = first;
    const list = new ListCheck({ ...compared, ...rows, end: part.end });
    return new Checks(compared, list, claims, part);
  }

  /** Reads the tables that store one state of many events. */
  async read(snapshot: Queryable): Promise<void> {
    await this.balances.read(snapshot);
    await this.corrections.read(snapshot);
    await this.payouts.read(snapshot);
    await this.receipts.read(snapshot);
    await this.reconciliations.read(snapshot);
    await this.settlements.read(snapshot);
    await this.webhooks.read(snapshot);
  }

  /** The second part continues from the end of the first to the position of the rows that were read. */
  async goOn(after: Position, part: LedgerPart): Promise<void> {
    await this.list.goOn(after, part.end);
    await this.ledger.goOn(after, part);
    await this.acts.goOn(after, part.end);
    await this.claims.goOn();
  }

  /** @returns a promise only if the check has to wait: awaiting each event would cost a tenth of the speed */
  observe(event: RecordedEvent, quarantined: QuarantinedEvents): void | Promise<void> {
    const act = quarantined.holds(event) ? undefined : this.acts.observe(event);
    return after(act, () =>
      isItemEvent(event) ? this.compare(event, quarantined) : this.compareOther(event, quarantined),
    );
  }

  /** @param isWhole true if the log ends at the position of the views */
  async finish(upTo: Position, isWhole: boolean): Promise<void> {
    const { snapshots, differences } = this.compared;
    await this.ledger.finish();
    this.balances.finish(differences, this.ledger.chains);
    this.corrections.finish(this.balances);
    this.payouts.finish(differences);
    await this.list.finish();
    this.receipts.finish(differences);
    this.reconciliations.finish(differences);
    this.settlements.finish(differences);
    await this.acts.finish();
    await checkSections(snapshots, differences);
    await checkAccountDays(snapshots, differences);
    await this.webhooks.finish(snapshots, differences, upTo);
    await checkStrays(snapshots, differences);
    await checkDays(snapshots, differences);
    await checkDayFigures(snapshots, differences);
    await this.claims.finish(isWhole);
  }

  private compare(
    event: RecordedEvent<ItemEvent>,
    quarantined: QuarantinedEvents,
  ): void | Promise<void> {
    const claimed =
      event.type === 'CollectionIntentRecorded' ? this.claims.intended(event) : undefined;
    if (quarantined.holds(event)) {
      this.held += 1;
      return claimed;
    }
    this.receipts.observe(event);
    this.payouts.observe(event);
    return after(claimed, () =>
      after(this.list.apply(event), (row) => this.comparePosting(event, row)),
    );
  }

  private compareOther(event: RecordedEvent, quarantined: QuarantinedEvents): void | Promise<void> {
    if (isReconciliationEvent(event)) {
      this.reconciliations.observe(event);
      return;
    }
    if (isSettlementEvent(event)) {
      this.settlements.observe(event);
      const { legs, mode, currency } = event.data;
      return this.compareLegs({ event: { ...event }, legs, mode, currency });
    }
    if (
      !isReservationEvent(event) &&
      !isCorrectionEvent(event) &&
      !isTermsEvent(event) &&
      !isPauseEvent(event) &&
      !isEndpointEvent(event) &&
      !isPayoutBatchEvent(event)
    )
      return;
    if (quarantined.holds(event)) this.held += 1;
    else if (isEndpointEvent(event)) this.webhooks.set(event);
    else if (isTermsEvent(event)) this.payouts.set(event);
    else if (isPauseEvent(event)) this.payouts.paused(event);
    else if (isPayoutBatchEvent(event)) this.payouts.batches.observe(event);
    else if (isReservationEvent(event)) this.corrections.reserved(event);
    else if (event.type === 'CorrectionProposed') this.corrections.proposed({ ...event });
    else if (event.type === 'CorrectionEnded') this.corrections.ended({ ...event });
    else {
      this.corrections.posted({ ...event });
      return this.compareLegs({ event, ...event.data });
    }
  }

  private comparePosting(
    event: RecordedEvent<ItemEvent>,
    row: TransactionRow,
  ): void | Promise<void> {
    this.webhooks.observe(event, row);
    if (!('legs' in event.data)) return;
    this.corrections.taken(event);
    const { merchant_id: merchantId, mode, currency } = row;
    return this.compareLegs({ event, legs: event.data.legs, merchantId, mode, currency });
  }

  private compareLegs(posting: Posting): void | Promise<void> {
    this.postings += 1;
    this.balances.posted(posting);
    return this.ledger.posted(posting);
  }
}

function isItemEvent(event: RecordedEvent): event is RecordedEvent<ItemEvent> {
  return event.stream.startsWith('collection-')
    ? event.type in collectionEventTypes
    : event.stream.startsWith('payout-') && event.type in payoutEventTypes;
}

/** Continues at once if there is nothing to wait for. */
function after<T>(
  value: T | Promise<T>,
  goOn: (value: T) => void | Promise<void>,
): void | Promise<void> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
