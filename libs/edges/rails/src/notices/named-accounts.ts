import { Injectable } from '@nestjs/common';
import { type Mode } from '#domain/kernel';
import { type Account, AccountNumbers } from '#domain/merchants';
import { Rail } from '#domain/rails';
import { CallbackKeys } from '../callback/callback-keys.js';
import { type TakenPayment } from '../rail-adapter.js';

/** Finds the account for a payment without a push. */
@Injectable()
export class NamedAccounts {
  constructor(
    private readonly accounts: AccountNumbers,
    private readonly rail: Rail,
    private readonly keys: CallbackKeys,
  ) {}

  /** Returns the account of ours that the customer named. @throws DependencyUnavailable */
  async named(
    channel: string,
    mode: Mode,
    { accountNo }: Pick<TakenPayment, 'accountNo'>,
  ): Promise<Account | undefined> {
    return accountNo === undefined ? undefined : this.find(channel, mode, accountNo);
  }

  /** Returns the account for payments that name none, if the installation has one. @throws DependencyUnavailable */
  async unnamed(channel: string, mode: Mode): Promise<Account | undefined> {
    const accountNo = this.keys.rails.of(channel)?.notices?.unnamedAccount(mode);
    return accountNo === undefined ? undefined : this.find(channel, mode, accountNo);
  }

  /** An account of another currency than the rail's cannot be meant. */
  private async find(channel: string, mode: Mode, accountNo: string): Promise<Account | undefined> {
    const account = await this.accounts.find(mode, accountNo);
    const currencies = this.rail.limits(channel, mode)?.currencies ?? [];
    return account && currencies.includes(account.currency) ? account : undefined;
  }
}
