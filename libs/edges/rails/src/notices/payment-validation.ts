import { Injectable, Logger } from '@nestjs/common';
import { DependencyUnavailable, type Mode, Timer, within } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
import { type RailCallbacks } from '../rail-adapter.js';
import { NamedAccounts } from './named-accounts.js';

/** The rail waits 8 s at most, and does what the registration says if there is no answer (C2B-9). */
const deadlineMs = 2000;

/** Answers the rail when it asks before it takes a payment without a push. */
@Injectable()
export class PaymentValidation {
  private readonly log = new Logger('rail notices');
  private readonly validations;

  constructor(
    private readonly accounts: NamedAccounts,
    private readonly timer: Timer,
    metrics: Metrics,
  ) {
    this.validations = metrics.counter({
      name: 'rail_validations_total',
      help: 'Payments that the rail asked about before it took them, by the answer',
      labels: ['channel', 'mode', 'answer'],
    });
  }

  /**
   * Accepts a payment unless the mode refuses those that name no account, and this one certainly does not. Refused
   * money never arrives, but accepted money can wait in suspense, so every doubt accepts.
   * @returns the body for the rail
   */
  async answer(
    { rail, mode }: { readonly rail: RailCallbacks; readonly mode: Mode },
    {
      bytes,
      sourceAddress,
    }: { readonly bytes: Buffer; readonly sourceAddress: string | undefined },
  ): Promise<object> {
    const { channel, notices } = rail;
    const isAsked =
      notices?.refusesUnnamed(mode) === true && rail.isOwnAddress(mode, sourceAddress);
    const isRefused = isAsked && (await this.namesNoAccount(rail, mode, bytes));
    this.validations.inc({ channel, mode, answer: isRefused ? 'refused' : 'accepted' });
    return isRefused ? notices.refusal : rail.acknowledgement;
  }

  /** A code of ours may be a push's, so it counts as an account. */
  private async namesNoAccount(
    { channel, notices }: RailCallbacks,
    mode: Mode,
    bytes: Buffer,
  ): Promise<boolean> {
    const payment = notices?.read(bytes)?.payment;
    if (!payment || payment.code !== undefined) return false;
    if (payment.accountNo === undefined) return true;
    const named = this.accounts.named(channel, mode, payment);
    try {
      const found = await within(
        this.timer,
        named.then((account) => ({ account })),
        deadlineMs,
      );
      return found !== undefined && found.account === undefined;
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      this.log.warn({ msg: 'a payment was accepted without a look at its account', channel, mode });
      return false;
    }
  }
}
