import { instantFromMs } from '#domain/kernel';
import { sha256Hex } from '#shared/signing';
import { Injectable, Logger } from '@nestjs/common';
import { type CallbackKeys } from '../callback/callback-keys.js';
import { RailFloats } from '../payouts/rail-floats.js';
import { BalanceRounds } from './balance-rounds.js';

type Reading = ReturnType<CallbackKeys['readToken']>;
type Outcome = 'applied' | 'no_callback' | 'lost';

/**
 * Stores the rail's answers about its own accounts. Only the rail has seen the address of a question, and each question
 * has its own. A lost answer does no harm: the worker asks again.
 */
@Injectable()
export class AccountReports {
  private readonly log = new Logger('rail balance');

  constructor(
    private readonly floats: RailFloats,
    private readonly rounds: BalanceRounds,
  ) {}

  async takeFloat(
    bytes: Buffer,
    { rail, mode, askedAtMs }: Extract<Reading, { kind: 'float' }>,
  ): Promise<Outcome> {
    const minor = rail.payoutReports?.readFloat(bytes);
    if (minor === undefined) return 'no_callback';
    await this.floats.tell({ channel: rail.channel, mode }, minor, askedAtMs);
    return 'applied';
  }

  async takeBalance(
    bytes: Buffer,
    { rail, mode, shortCode, askedAtMs }: Extract<Reading, { kind: 'balance' }>,
  ): Promise<Outcome> {
    const report = rail.readBalances?.(bytes);
    if (!report) return 'no_callback';
    const { accounts, asOf = instantFromMs(askedAtMs) } = report;
    const told = { shortCode, asOf, accounts, digest: sha256Hex(bytes) };
    try {
      await this.rounds.tell({ channel: rail.channel, mode }, told, askedAtMs);
      return 'applied';
    } catch (error) {
      this.log.error({ msg: 'a balance could not be kept', mode, err: error });
      return 'lost';
    }
  }
}
