import { type PayoutBatchDetails, type PayoutDetails } from '#domain/payouts';
import { type PlannedBatch } from '../batch-plan.js';
import { account } from '../names.js';
import { type PayoutOracle } from '../oracle/payout-oracle.js';
import { type PlannedPayout } from '../payout-plan.js';
import { type Plan } from '../plan.js';
import { carried } from '../servers/rail.js';
import { type Requests } from './requests.js';

/** The holders' programs, which request payouts and approve or reject them. */
export class Holders {
  constructor(
    private readonly requests: Requests,
    private readonly oracle: PayoutOracle,
    private readonly plan: Plan,
  ) {}

  start(): void {
    this.#startBatches();
    this.#startStops();
    const { asks, decisions, itemDecisions } = this.plan.payouts;
    for (const { payout, ...ask } of asks)
      this.requests.start({
        ...ask,
        what: `for the payout ${payout.reference}`,
        ask: (api, name) => api.payouts.request(this.#details(payout), name),
        told: (name, answer) => {
          this.oracle.answered(name, payout.reference, answer);
          return 'done';
        },
      });
    for (const decision of [...decisions, ...itemDecisions]) {
      const { reference, holder, verdict } = decision;
      this.requests.start({
        ...decision,
        what: `to ${verdict} ${reference} as ${holder}`,
        ask: (api, name) => api.payouts.decide(reference, { holder, verdict }, name),
        told: (name, answer) => {
          this.oracle.decided(name, decision, answer);
          return !answer.ok && answer.refusal === 'unknown_payout' ? 'again' : 'done';
        },
      });
    }
  }

  #startStops(): void {
    const { cancels, batchCancels, pauses } = this.plan.payouts;
    for (const { reference, holder, ...cancel } of cancels)
      this.requests.start({
        ...cancel,
        what: `to cancel ${reference} as ${holder}`,
        ask: (api, name) => api.payouts.cancel(reference, holder, name),
        told: (name, answer) => {
          this.oracle.cancelled(name, reference, answer);
          return 'done';
        },
      });
    for (const { reference, holder, ...cancel } of batchCancels)
      this.requests.start({
        ...cancel,
        what: `to cancel the batch ${reference} as ${holder}`,
        ask: (api, name) => api.payouts.cancelBatch(reference, holder, name),
        told: (name, answer) => {
          this.oracle.batches.cancelled(name, reference, answer);
          return 'done';
        },
      });
    for (const { isOver, ...pause } of pauses)
      this.requests.start({
        ...pause,
        what: isOver ? 'to resume payouts' : 'to pause payouts',
        ask: (api, name) => api.payouts.pause(isOver, name),
        told: () => 'done',
      });
  }

  #startBatches(): void {
    const { batchAsks, batchDecisions } = this.plan.payouts;
    for (const { batch, ...ask } of batchAsks)
      this.requests.start({
        ...ask,
        what: `for the batch ${batch.reference} of ${batch.items.length} payouts`,
        ask: (api, name) => api.payouts.requestBatch(this.#batchDetails(batch), name),
        told: (name, answer) => {
          this.oracle.batches.answered(name, batch.reference, answer);
          return 'done';
        },
      });
    for (const decision of batchDecisions) {
      const { reference, holder, verdict } = decision;
      this.requests.start({
        ...decision,
        what: `to ${verdict} the batch ${reference} as ${holder}`,
        ask: (api, name) => api.payouts.decideBatch(reference, { holder, verdict }, name),
        told: (name, answer) => {
          this.oracle.batches.decided(name, decision, answer);
          return !answer.ok && answer.refusal === 'unknown_batch' ? 'again' : 'done';
        },
      });
    }
  }

  #batchDetails({ accountNo, reference, holder, items }: PlannedBatch): PayoutBatchDetails {
    return {
      account: account(this.plan.feeBasisPoints, accountNo),
      channel: this.plan.channels.get(reference) ?? 'mpesa',
      reference,
      holder,
      items: items.map((item) => ({ ...item, amountMinor: carried(item.amountMinor) })),
    };
  }

  #details({ accountNo, amountMinor, phone, reference, holder }: PlannedPayout): PayoutDetails {
    return {
      account: account(this.plan.feeBasisPoints, accountNo),
      phone,
      amountMinor: carried(amountMinor),
      channel: this.plan.channels.get(reference) ?? 'mpesa',
      reference,
      holder,
    };
  }
}
