import { type Connection } from '../http/connection.js';
import { type Balance, type ReadOptions } from '../types.js';

/** The accounts that receive the money. */
export class Accounts {
  constructor(private readonly connection: Connection) {}

  /** What the account holds. @throws PesaPostError, `not_found` where it is none of yours */
  async balance(accountNo: string, { minPosition, signal }: ReadOptions = {}): Promise<Balance> {
    const path = `/api/v4/accounts/${encodeURIComponent(accountNo)}/balance`;
    const answer = await this.connection.send({ method: 'GET', path, minPosition, signal });
    return {
      ...(answer.body as unknown as Balance),
      ledgerPosition: answer.ledgerPosition,
    };
  }
}
