import { type Verdict } from '#domain/rails';
import { type MessageKind, SealedMessages } from '#domain/evidence';
import { assertNever } from '#domain/kernel';
import { isTrustedPayment, type PayoutKey, payoutKeyOf, type PayoutReport } from '#domain/payouts';
import { Injectable, Logger } from '@nestjs/common';
import { askedAtMs, CallbackKeys } from '../callback/callback-keys.js';
import { openRailMessage } from '#shared/signing';
import { railEvidence, railMetadata } from '../callback/rail-messages.js';
import { firstAskingTry } from '../inbox/inbox-schedule.js';
import { type DueInboxEntry, type ToldPayment } from '../inbox/inbox.js';
import { type Try } from '../inbox/opened-callbacks.js';
import { extraAttempt, PayoutQueries } from './payout-queries.js';
import { type RailCallbacks } from '../rail-adapter.js';
import { PayoutsClient } from './payouts-client.js';
import { type PayoutReading, readPayoutReport } from './read-payout-report.js';

const done = (outcome: string): Try => ({ kind: 'done', outcome });

const kinds = {
  result: 'result',
  answer: 'query_answer',
  timeout: 'queue_timeout',
} as const satisfies Record<PayoutReading['kind'], MessageKind>;

/** A reading that is a report. A queue timeout is not one. */
type ReportReading = Extract<PayoutReading, { readonly callback: unknown }>;

/** Applies the inbox's reports to their payouts. A report that settles nothing causes an extra status query. */
@Injectable()
export class PayoutInbox {
  private readonly log = new Logger('payout reports');

  constructor(
    private readonly payouts: PayoutsClient,
    private readonly queries: PayoutQueries,
    private readonly keys: CallbackKeys,
    private readonly messages: SealedMessages,
  ) {}

  /** @throws DependencyUnavailable, UnopenableCiphertext */
  async apply(entry: DueInboxEntry): Promise<Try> {
    const { id, channel, stream, sourceAddress, purpose = '' } = entry;
    const { keyring } = this.keys;
    const bytes = openRailMessage(keyring, entry);
    const key = payoutKeyOf(stream);
    const rail = this.keys.rails.of(channel);
    const reading = rail && readPayoutReport(rail, purpose, bytes);
    if (!key || !reading) return done('left_for_review: no_callback');
    const message = railEvidence(keyring, { id, kind: kinds[reading.kind], stream, bytes });
    const ownKey = await this.messages.keep(message);
    if (reading.kind === 'timeout') return this.ask(stream);
    const { by, repeated } = await this.weigh(stream, reading);
    const isTrusted = entry.trusted && !isStale(entry, rail, key);
    const report: PayoutReport = { by, ...reading.callback, isTrusted, repeated };
    const arrival = { channel, id, correlationId: id, ownKey, bytes, sourceAddress };
    return this.deliver(entry, { key, reading, report, metadata: railMetadata(keyring, arrival) });
  }

  private async deliver(
    { id, stream, channel, attempts }: DueInboxEntry,
    reported: {
      readonly key: PayoutKey;
      readonly reading: ReportReading;
      readonly report: PayoutReport;
      readonly metadata: ReturnType<typeof railMetadata>;
    },
  ): Promise<Try> {
    const { key, reading, report, metadata } = reported;
    const { verdict } = report;
    const result = await this.payouts.confirm(key, report, metadata, channel);
    if (reading.kind === 'answer' && (result.ok || verdict.kind === 'unresolved'))
      await this.noteAnswer(stream, reading.attempt, verdict);
    if (result.ok) {
      const { status } = result.value;
      // An unreadable result of a declined payout may mean that the payout was paid after all.
      const isOpen = status === 'pending' || (status === 'failed' && verdict.kind === 'unresolved');
      if (isOpen) return reading.kind === 'answer' ? done(status) : this.ask(stream);
      // A decline is not final: the worker asks the rail until the last delay (PAY-30).
      if (status !== 'failed') await this.queries.settled(stream);
      return done(status);
    }
    if (result.refusal === 'not_sent' || result.refusal === 'unknown_payout') {
      const told = toldBy(report);
      if (told) this.log.error({ msg: 'the rail paid what was never sent', stream, ...told });
      const why = result.refusal === 'not_sent' ? 'paid_unsent' : result.refusal;
      return { ...done(`left_for_review: ${why}`), ...(told && { told }) };
    }
    if (report.isTrusted) {
      // The rail's answer to the order, which contains the rail's own name for it, may not be in the log yet.
      if (attempts < firstAskingTry) return { kind: 'again', why: 'other_payment' };
      if (reading.kind === 'result') await this.queries.askExtra(stream);
      this.log.error({ msg: 'a report names another payment', id, stream, by: report.by });
      return done('left_for_review: other_payment');
    }
    return this.ask(stream);
  }

  private async noteAnswer(stream: string, attempt: number, verdict: Verdict): Promise<void> {
    if (attempt === extraAttempt) await this.queries.extraAnswered(stream);
    else await this.queries.note(stream, { attempt, answer: answerOf(verdict) });
  }

  /**
   * Decides if a report repeats an earlier one. A decline by query counts only if the answer before, to another
   * question, gave the same reason. Extra questions never count: they may be seconds apart, and the cause of one wrong
   * answer makes the next one wrong too (ADR 0021).
   */
  private async weigh(
    stream: string,
    reading: ReportReading,
  ): Promise<Required<Pick<PayoutReport, 'by' | 'repeated'>>> {
    if (reading.kind === 'result') return { by: 'callback', repeated: false };
    const { verdict } = reading.callback;
    if (verdict.kind !== 'declined') return { by: 'query', repeated: false };
    const before = await this.queries.answerBefore(stream, reading.attempt);
    return { by: 'query', repeated: before === answerOf(verdict) };
  }

  private async ask(stream: string): Promise<Try> {
    await this.queries.askExtra(stream);
    return done('query_due');
  }
}

/**
 * Returns the payment that a trusted report names and that no record here explains (PAY-62); undefined if it names
 * none.
 */
function toldBy(report: PayoutReport): ToldPayment | undefined {
  if (!isTrustedPayment(report)) return undefined;
  const { verdict } = report;
  if (verdict.kind === 'declined') return undefined;
  const { receipt } = verdict;
  const named = receipt === undefined ? {} : { receipt };
  if (verdict.kind === 'unresolved') return named;
  const { amountMinor, paidAt } = verdict;
  return {
    ...named,
    ...(amountMinor === undefined ? {} : { amountMinor }),
    ...(paidAt === undefined ? {} : { paidAt }),
  };
}

/** The rail answers within seconds. */
const answeredWithinMs = 3_600_000;

/**
 * True if an answer comes from outside the rail's own addresses, so long after its question that its address may have
 * leaked. It is then treated as an untrusted sender's report.
 */
function isStale(
  { purpose = '', sourceAddress, receivedAt }: DueInboxEntry,
  rail: RailCallbacks,
  { mode }: PayoutKey,
): boolean {
  const askedMs = askedAtMs(purpose);
  if (askedMs === undefined || rail.isOwnAddress(mode, sourceAddress)) return false;
  return receivedAt.getTime() - askedMs > answeredWithinMs;
}

/** Keeps as much of an unknown code as a person needs to look it up. */
const maxCode = 32;

function answerOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'paid':
      return 'paid';
    case 'declined':
      return `declined:${verdict.failureCode}`;
    case 'unresolved':
      return verdict.unknownCode === undefined
        ? 'unresolved'
        : `unresolved:${verdict.unknownCode.slice(0, maxCode).replace(/[^\w.-]/g, '?')}`;
    default:
      return assertNever(verdict);
  }
}
