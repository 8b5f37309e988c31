import { type Connection } from '../http/connection.js';
import { type Balance, type PastReadOptions } from '../types.js';

/** The accounts that receive the money. */
export class Accounts {
  constructor(private readonly connection: Connection) {}

  /**
   * Returns the account's balance, or its balance at `atPosition`.
   * @throws PesaPostError, `not_found` if it is not your account
   */
  async balance(
    accountNo: string,
    { minPosition, atPosition, signal }: PastReadOptions = {},
  ): Promise<Balance> {
    const path = `/api/v4/accounts/${encodeURIComponent(accountNo)}/balance`;
    const options = { minPosition, atPosition, signal };
    const answer = await this.connection.send({ method: 'GET', path, ...options });
    return {
      ...(answer.body as unknown as Balance),
      ledgerPosition: answer.ledgerPosition,
    };
  }
}
