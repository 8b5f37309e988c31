import { Connection } from './http/connection.js';
import { type PesaPostOptions, readOptions } from './options.js';
import { Accounts } from './resources/accounts.js';
import { Collections } from './resources/collections.js';
import { Events } from './resources/events.js';
import { PayoutBatches } from './resources/payout-batches.js';
import { Payouts } from './resources/payouts.js';
import { Transactions } from './resources/transactions.js';

/**
 * A client of PesaPost V4 for one credential. Create one and keep it, because it stores the token and the imported key.
 * Calls may run in parallel.
 */
export class PesaPost {
  readonly collections: Collections;
  readonly payouts: Payouts;
  readonly payoutBatches: PayoutBatches;
  readonly transactions: Transactions;
  readonly accounts: Accounts;
  readonly events: Events;

  /** @throws TypeError that names the option and the rule */
  constructor(options: PesaPostOptions) {
    const connection = new Connection(readOptions(options));
    this.collections = new Collections(connection);
    this.payouts = new Payouts(connection);
    this.payoutBatches = new PayoutBatches(connection);
    this.transactions = new Transactions(connection);
    this.accounts = new Accounts(connection);
    this.events = new Events(connection);
  }
}
