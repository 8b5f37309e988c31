import { Injectable } from '@nestjs/common';
import { type RailsWord } from '#collections';
import { CollectionBus } from '../collection-bus.js';
import { RailWorkOptions } from '../rail-work-options.js';
import { RailQuestions } from '../query/rail-questions.js';
import { CheckoutClaims } from './checkout-claims.js';
import { firstAskingTry, nextQuestionInMs } from './inbox-schedule.js';
import { type OpenedCallback, type Try } from './opened-callback.js';
import { vouch, type Vouched } from './vouch.js';

/** Brings callbacks to their collections that were not believed or could not be recorded when they came. */
@Injectable()
export class DoubtfulCallbacks {
  constructor(
    private readonly collections: CollectionBus,
    private readonly questions: RailQuestions,
    private readonly claims: CheckoutClaims,
    private readonly options: RailWorkOptions,
  ) {}

  /** @throws DependencyUnavailable */
  async bring(opened: OpenedCallback): Promise<Try> {
    const { callback, entry } = opened;
    if (callback.isAmountUnreadable) return this.ask(opened);
    const said = { by: 'callback', ...callback, fromRail: entry.trusted, vouched: false } as const;
    const refusal = await this.say(opened, said);
    if (refusal.kind === 'done' || refusal.why !== 'not_vouched') return refusal;
    // The push's own answer may be on its way; a stranger's word is never believed without the rail's.
    if (entry.trusted && entry.attempts < firstAskingTry) return refusal;
    return this.ask(opened);
  }

  private async ask(opened: OpenedCallback): Promise<Try> {
    const { key, callback, entry, ageMs } = opened;
    const ownReference = await this.collections.railReferenceOf(key);
    const isOwn = ownReference === callback.railReference;
    const strangerWaitsMs = this.options.strangersWaitMs - ageMs;
    if (!entry.trusted && !isOwn && strangerWaitsMs > 0)
      return { kind: 'again', why: 'not_vouched', inMs: strangerWaitsMs };

    const answer = await this.questions.ask(key.mode, callback.railReference);
    if (answer.kind === 'not_asked')
      return { kind: 'again', why: answer.kind, inMs: nextQuestionInMs(entry.attempts, ageMs) };
    const doubtful = { callback, fromRail: entry.trusted, ownReference };
    const vouched = vouch(doubtful, answer);
    switch (vouched.kind) {
      case 'ask_again':
        return { kind: 'again', why: vouched.why };
      case 'drop':
        return { kind: 'done', outcome: vouched.why };
      case 'word':
        return isOwn || vouched.word.verdict.kind !== 'paid' || (await this.mayConfirm(opened))
          ? this.sayVouched(opened, vouched)
          : { kind: 'done', outcome: 'left_for_review: checkout_of_another' };
    }
  }

  /** What a query says stands on the answer's evidence; what the callback says, on its own. Both are kept. */
  private async sayVouched(
    opened: OpenedCallback,
    { word, answer }: Extract<Vouched, { kind: 'word' }>,
  ): Promise<Try> {
    const { stream, id: correlationId } = opened.entry;
    const { railReference } = word;
    const metadata = await this.questions.keep({ stream, railReference, answer, correlationId });
    const said = await this.say(word.by === 'query' ? { ...opened, metadata } : opened, word);
    const { key, callback, entry } = opened;
    // What the rail told of another amount cannot be ruled out, so a person is to compare.
    if (said.kind === 'done' && callback.isAmountUnreadable && entry.trusted)
      await this.collections.flag(key, 'amount_unreadable', opened.metadata);
    return said;
  }

  private mayConfirm({ key, callback, entry }: OpenedCallback): Promise<boolean> {
    const { railReference: checkoutId } = callback;
    return this.claims.claimForeign({ mode: key.mode, checkoutId, stream: entry.stream });
  }

  private async say({ key, metadata }: OpenedCallback, word: RailsWord): Promise<Try> {
    const result = await this.collections.confirm(key, word, metadata);
    return result.ok
      ? { kind: 'done', outcome: result.value.status }
      : { kind: 'again', why: result.refusal };
  }
}
