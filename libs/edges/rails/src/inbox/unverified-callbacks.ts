import { Injectable } from '@nestjs/common';
import { type QueryOutcome, type RailReport } from '#domain/rails';
import { type Collection, viewOf } from '#domain/collections';
import { type RailReferenceClaim, RailReferenceClaims } from './rail-reference-claims.js';
import { CollectionsClient } from '../collections-client.js';
import { RailWorkOptions } from '../rail-work-options.js';
import { ExtraQuestions } from '../query/extra-questions.js';
import { RailQuestions } from '../query/rail-questions.js';
import { firstAskingTry, maxAgeMs, nextQuestionInMs } from './inbox-schedule.js';
import { type OpenedCallback, type Try } from './opened-callbacks.js';
import { corroborate, type CorroboratedReport } from './corroborate.js';

const leftForReview = (why: string): Try => ({ kind: 'done', outcome: `left_for_review: ${why}` });

/**
 * Queries the rail because of a callback: at once if the callback came from the rail, else within the bounds of
 * RAIL-23.
 */
@Injectable()
export class CallbackQuestions {
  constructor(
    private readonly questions: RailQuestions,
    private readonly extras: ExtraQuestions,
  ) {}

  /** @throws DependencyUnavailable */
  async ask({
    key,
    channel,
    callback,
    entry,
  }: OpenedCallback): Promise<QueryOutcome | { readonly kind: 'wait'; readonly ms: number }> {
    const payment = { channel, mode: key.mode, railReference: callback.railReference };
    return entry.trusted
      ? this.questions.ask(payment)
      : this.extras.ask({ ...payment, stream: entry.stream });
  }

  /** See `RailQuestions.keep`. */
  keep(answer: Parameters<RailQuestions['keep']>[0]): ReturnType<RailQuestions['keep']> {
    return this.questions.keep(answer);
  }
}

/** Reports callbacks that were not believed, or could not be recorded, on arrival. */
@Injectable()
export class UnverifiedCallbacks {
  constructor(
    private readonly collections: CollectionsClient,
    private readonly questions: CallbackQuestions,
    private readonly claims: RailReferenceClaims,
    private readonly options: RailWorkOptions,
  ) {}

  /** @throws DependencyUnavailable */
  async report(opened: OpenedCallback): Promise<Try> {
    const since = performance.now();
    const tried = await this.apply(opened);
    const { key, entry, ageMs } = opened;
    if (entry.trusted && tried.kind === 'done' && tried.outcome === 'completed')
      this.collections.reports.posted(
        key.mode,
        'inbox',
        (ageMs + performance.now() - since) / 1000,
      );
    return tried;
  }

  private async apply(opened: OpenedCallback): Promise<Try> {
    const { callback, entry } = opened;
    if (callback.isAmountUnreadable) return this.ask(opened);
    const report = {
      by: 'callback',
      ...callback,
      fromRail: entry.trusted,
      corroborated: false,
    } as const;
    const tried = await this.confirm(opened, report);
    if (tried.kind === 'done' || tried.why !== 'not_vouched') return tried;
    // The push's own answer may still arrive. An untrusted sender is believed only with a query's answer.
    if (entry.trusted && entry.attempts < firstAskingTry) return tried;
    return this.ask(opened);
  }

  private async ask(opened: OpenedCallback): Promise<Try> {
    const { key, callback, entry, ageMs } = opened;
    const state = await this.collections.stateOf(key);
    const ownReference = ownReferenceIn(state, callback);
    const isOwn = ownReference === callback.railReference;
    if (!entry.trusted) {
      // For an untrusted sender only the query's answer counts, and a settled collection does not need one.
      if (isOwn && isSettled(state)) return { kind: 'done', outcome: viewOf(state).status };
      const untrustedWaitMs = this.options.untrustedWaitMs - ageMs;
      if (!isOwn && untrustedWaitMs > 0)
        return { kind: 'again', why: 'not_vouched', inMs: untrustedWaitMs };
    }
    const answer = await this.questions.ask(opened);
    if (answer.kind === 'wait')
      return ageMs >= maxAgeMs
        ? leftForReview('asked_too_often')
        : { kind: 'again', why: 'asked_lately', inMs: answer.ms };
    if (answer.kind === 'not_asked')
      return { kind: 'again', why: answer.kind, inMs: nextQuestionInMs(entry.attempts, ageMs) };
    const unverified = { callback, fromRail: entry.trusted, ownReference };
    const corroborated = corroborate(unverified, answer);
    switch (corroborated.kind) {
      case 'ask_again':
        return { kind: 'again', why: corroborated.why };
      case 'drop':
        return { kind: 'done', outcome: corroborated.why };
      case 'report':
        if (corroborated.report.verdict.kind !== 'paid')
          return this.reportCorroborated(opened, corroborated);
        if (isOwn) return this.reportOwn(opened, corroborated);
        return ownReference === undefined
          ? this.reportClaimed(opened, corroborated)
          : this.reportOfOther(opened, corroborated);
    }
  }

  /** Reports that the collection's own checkout was paid, unless another collection has the same checkout id. */
  private async reportOwn(opened: OpenedCallback, corroborated: CorroboratedReport): Promise<Try> {
    const { key, channel, callback, entry, metadata } = opened;
    const { railReference } = callback;
    const use = { channel, mode: key.mode, railReference, stream: entry.stream };
    const claim = await this.claims.claimOwn(use, (other) => this.collections.hasMoney(other));
    if (claim.kind === 'held') return { kind: 'again', why: 'checkout_held' };
    if (claim.kind === 'claimed') return this.reportCorroborated(opened, corroborated);
    await this.collections.flagShared([entry.stream, ...claim.streams], metadata);
    return leftForReview('checkout_of_another');
  }

  /**
   * Reports a payment if the collection's own rail reference is not known. It must claim the callback's reference
   * first.
   */
  private async reportClaimed(
    opened: OpenedCallback,
    corroborated: CorroboratedReport,
  ): Promise<Try> {
    const { key, channel, callback, entry } = opened;
    const { railReference } = callback;
    const use = { channel, mode: key.mode, railReference, stream: entry.stream };
    if (entry.trusted) {
      const refusal = await this.claimOrFlag(opened, { ...use, isBrought: true });
      return refusal ?? this.reportCorroborated(opened, corroborated);
    }
    const isClaimed = await this.claims.claimForeign(use);
    const tried = isClaimed
      ? await this.reportCorroborated(opened, corroborated)
      : leftForReview('checkout_of_another');
    if (tried.kind !== 'done') return tried;
    // A worker that was suspended after its claim may have lost the claim to another collection and still posted
    // (RAIL-7). An earlier try may have done the same and ended before this check.
    if (!isClaimed && !isPostedByQuery(await this.collections.stateOf(key))) return tried;
    return (await this.claimOrFlag(opened, use)) ?? tried;
  }

  /**
   * Claims the rail reference that the callback names. If another collection has it already, a review must decide whose
   * the money is.
   * @returns the result to use instead of posting, or after it; undefined if the collection has the reference
   */
  private async claimOrFlag(
    opened: OpenedCallback,
    use: RailReferenceClaim,
  ): Promise<Try | undefined> {
    const claim = await this.claims.claim(use, (stream) => this.collections.hasMoney(stream));
    if (claim.kind === 'held') return { kind: 'again', why: 'checkout_held' };
    const others = claim.kind === 'anothers' ? [claim.stream] : await this.claims.otherOwners(use);
    if (others.length === 0) return undefined;
    await this.collections.flagShared([use.stream, ...others], opened.metadata);
    return leftForReview('checkout_of_another');
  }

  /**
   * Reports a payment under another id than the collection's own. It posts nothing, and the collection goes to review.
   */
  private async reportOfOther(
    opened: OpenedCallback,
    corroborated: CorroboratedReport,
  ): Promise<Try> {
    const result = await this.reportCorroborated(opened, corroborated);
    return result.kind === 'done' ? leftForReview('other_checkout') : result;
  }

  /**
   * Stores the query's answer and reports. A query's report rests on the answer's evidence, a callback's on its own
   * bytes.
   */
  private async reportCorroborated(
    opened: OpenedCallback,
    { report, answer }: CorroboratedReport,
  ): Promise<Try> {
    const { stream, id: correlationId } = opened.entry;
    const { railReference } = report;
    const metadata = await this.questions.keep({
      stream,
      channel: opened.channel,
      railReference,
      answer,
      correlationId,
    });
    const proved = report.by === 'query' ? { ...opened, metadata } : opened;
    const result = await this.confirm(proved, report);
    const { key, callback, entry } = opened;
    // The callback may have named another amount, so it goes to review.
    if (result.kind === 'done' && callback.isAmountUnreadable && entry.trusted)
      await this.collections.flag(key, 'amount_unreadable', opened.metadata);
    return result;
  }

  private async confirm({ key, metadata }: OpenedCallback, report: RailReport): Promise<Try> {
    const result = await this.collections.confirm(key, report, metadata);
    return result.ok
      ? { kind: 'done', outcome: result.value.status }
      : { kind: 'again', why: result.refusal };
  }
}

/**
 * Returns the collection's own rail reference. If the push's answer is not known, it is our account reference if the
 * callback names that one (AIR-8), else undefined.
 */
function ownReferenceIn(
  state: Collection,
  { railReference: named }: OpenedCallback['callback'],
): string | undefined {
  if (state.status === 'none') return undefined;
  const { accountReference } = state.intent;
  return viewOf(state).railReference ?? (accountReference === named ? named : undefined);
}

/**
 * True if a query's answer was posted: that alone is posted without a receipt if only an untrusted sender named an id.
 */
function isPostedByQuery(state: Collection): boolean {
  return state.status === 'completed' && state.payment.receipt === undefined;
}

/** True if "paid" would add nothing. */
function isSettled({ status }: Collection): boolean {
  return status === 'completed' || status === 'in_suspense' || status === 'refunded';
}
