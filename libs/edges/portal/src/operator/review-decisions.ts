import { type FoundPayment, type ReviewDecision, type Ruling } from '#domain/reviews';
import { ConfirmReview, DeclineReview, OpenReview, ResolveReview } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import {
  ConfirmPayoutReview,
  DeclinePayoutReview,
  OpenPayoutReview,
  ResolvePayoutReview,
} from '#domain/payouts';
import { type Item } from '#desk/operators';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type OperatorTexts } from './operator-texts.js';

/** The outcome of a decision: a code of what was done, or the reason why nothing was. */
export type Decided =
  | 'proposed'
  | 'decided'
  | 'confirmed'
  | 'opened'
  | 'review_declined'
  | 'review_withdrawn'
  | { readonly refusal: keyof OperatorTexts['refusals'] };

type Why = CommandMetadata & { readonly reason: string };

/**
 * Sends operators' decisions about collections and payouts, which have commands of their own. Each throws
 * DependencyUnavailable.
 */
@Injectable()
export class ReviewDecisions {
  constructor(private readonly bus: CommandBus) {}

  /** Proposes the ruling if two operators must agree, or else decides at once. */
  async resolve({ type, key }: Item, ruling: Ruling, metadata: Why): Promise<Decided> {
    if (type === 'payout') {
      const result = await this.bus.execute(new ResolvePayoutReview(key, ruling, metadata));
      return result.ok ? 'proposed' : result;
    }
    const result = await this.bus.execute(new ResolveReview(key, ruling, metadata));
    return result.ok ? result.value.kind : result;
  }

  async confirm(
    { type, key }: Item,
    proposalId: string,
    metadata: CommandMetadata,
  ): Promise<Decided> {
    const result =
      type === 'payout'
        ? await this.bus.execute(new ConfirmPayoutReview(key, proposalId, metadata))
        : await this.bus.execute(new ConfirmReview(key, proposalId, metadata));
    return result.ok ? 'confirmed' : result;
  }

  /** Rejects the proposal, or withdraws the person's own (REV-11). */
  async decline(
    { type, key }: Item,
    proposalId: string,
    metadata: CommandMetadata,
  ): Promise<Decided> {
    const result =
      type === 'payout'
        ? await this.bus.execute(new DeclinePayoutReview(key, proposalId, metadata))
        : await this.bus.execute(new DeclineReview(key, proposalId, metadata));
    return result.ok ? `review_${result.value}` : result;
  }

  /** Opens the review by a line of the rail's statement, and proposes that it was paid. */
  async open({ type, key }: Item, payment: FoundPayment, metadata: Why): Promise<Decided> {
    const result =
      type === 'payout'
        ? await this.bus.execute(new OpenPayoutReview(key, payment, metadata))
        : await this.bus.execute(new OpenReview(key, payment, metadata));
    return result.ok ? 'opened' : result;
  }
}

const decisions: readonly string[] = ['paid', 'failed', 'suspense_to_merchant', 'refunded'];

export function isDecision(text: string): text is ReviewDecision {
  return decisions.includes(text);
}
