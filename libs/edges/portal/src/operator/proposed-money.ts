import { currentFees } from '#domain/collections';
import { MerchantDirectory } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { decisionMoney, type DecisionMoney, itemOf } from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { reviewMoney, type ReviewMoney } from '#views/reviews';
import { Injectable } from '@nestjs/common';

/** The money of a review's item, and the money that its open proposal posts. */
export interface ShownMoney extends ReviewMoney {
  readonly posted: DecisionMoney | undefined;
}

/** Reads the money of many proposals: one query, and the fee schedule once an account. */
@Injectable()
export class ProposedMoney {
  constructor(
    private readonly database: Database,
    private readonly merchants: MerchantDirectory,
  ) {}

  /**
   * Returns the money of each proposal by its item's stream. The views may not hold an item yet: it is left out.
   * @throws DependencyUnavailable
   */
  async of(proposals: readonly StoredReviewProposal[]): Promise<ReadonlyMap<string, ShownMoney>> {
    const found = await reviewMoney(
      this.database,
      proposals.map(({ stream }) => stream),
    );
    const feesOf = this.#schedules();
    const shown = proposals.map(async (proposal) => {
      const { stream, decision, amountMinor: namedMinor } = proposal;
      const [money, item] = [found.get(stream), itemOf(stream)];
      if (!money || !item) return [];
      const { requestedMinor, feeMinor: requestedFeeMinor, heldMinor, accountNo } = money;
      const { merchantId, mode } = item.key;
      const isHeld = decision === 'suspense_to_merchant' && heldMinor !== null;
      const fees = isHeld ? await feesOf({ merchantId, mode, accountNo }) : undefined;
      const amounts = { namedMinor, requestedMinor, requestedFeeMinor, heldMinor };
      const posted = decisionMoney({ type: item.type, decision, ...amounts, fees });
      return [[stream, { ...money, posted }] as const];
    });
    return new Map((await Promise.all(shown)).flat());
  }

  /** Finds fee schedules in the directory that the decision itself reads (FEE-1), each account once. */
  #schedules() {
    const known = new Map<string, ReturnType<typeof currentFees>>();
    return (of: Parameters<typeof currentFees>[0]) => {
      const name = `${of.mode} ${of.merchantId} ${of.accountNo}`;
      const asked = known.get(name) ?? currentFees(of, this.merchants);
      known.set(name, asked);
      return asked;
    };
  }
}
