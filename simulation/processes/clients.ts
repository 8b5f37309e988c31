import { type CollectionDetails } from '#domain/collections';
import { account } from '../names.js';
import { type Oracle } from '../oracle/oracle.js';
import { type Plan } from '../plan.js';
import { carried } from '../servers/rail.js';
import { type Requests } from './requests.js';

/** Merchants' programs that request collections. */
export class Clients {
  constructor(
    private readonly requests: Requests,
    private readonly oracle: Oracle,
    private readonly plan: Plan,
  ) {}

  start(): void {
    for (const { reference, ...request } of this.plan.requests)
      this.requests.start({
        ...request,
        what: `for ${reference}`,
        ask: (api, name) => api.create(this.#details(reference), name),
        told: (name, result) => {
          this.oracle.answered(name, reference, result);
          return 'done';
        },
      });
  }

  #details(reference: string): CollectionDetails {
    return {
      account: account(this.plan.feeBasisPoints),
      phone: '254700000001',
      amountMinor: carried(this.plan.amountMinor),
      channel: this.plan.channels.get(reference) ?? 'mpesa',
      reference,
      origin: 'v4',
    };
  }
}
