import { Injectable } from '@nestjs/common';
import {
  type CollectionKey,
  collectionStream,
  moneyIn,
  receivedKey,
  type ReceivedPayment,
} from '#domain/collections';
import { type CommandMetadata, type Proof } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { CallbackKeys } from '../callback/callback-keys.js';
import { listedMetadata } from '../callback/rail-messages.js';
import { CollectionsClient } from '../collections-client.js';
import { RailReferenceClaims } from '../inbox/rail-reference-claims.js';
import { type TakenPayment } from '../rail-adapter.js';
import { NamedAccounts } from './named-accounts.js';

/** A payment that no push of ours asked for, and the source of its report. */
export interface ToldUnasked {
  readonly channel: string;
  readonly mode: Mode;
  readonly payment: TakenPayment;
  readonly by: ReceivedPayment['by'];
  /** Returns the metadata of the command, whose evidence belongs to the stream. */
  readonly prove: (stream: string) => Promise<CommandMetadata & Proof>;
  /** Removes that evidence: the payment is recorded on another stream. */
  readonly withdraw: (stream: string) => Promise<void>;
}

/**
 * `received`: the payment is in the ledger under its own receipt, now or before. `no_account`: no account of ours is
 * named, and none holds such payments. `held`: another worker is recording the receipt.
 */
export type Receiving = 'received' | 'no_account' | 'held';

/**
 * Records payments without a push: for the expected payment or the account that the customer named, or in suspense.
 */
@Injectable()
export class UnaskedPayments {
  constructor(
    private readonly accounts: NamedAccounts,
    private readonly claims: RailReferenceClaims,
    private readonly collections: CollectionsClient,
    private readonly keys: CallbackKeys,
  ) {}

  /** A payment that the rail listed, with the entry as its evidence. */
  listed(
    { channel, mode }: Pick<ToldUnasked, 'channel' | 'mode'>,
    payment: TakenPayment,
  ): ToldUnasked {
    const prove = () => Promise.resolve(listedMetadata(this.keys, channel, payment));
    return { channel, mode, payment, by: 'query', prove, withdraw: () => Promise.resolve() };
  }

  /**
   * Records a payment whose customer named an account of ours, as `receive` does. `no_account`: none was named.
   * @throws DependencyUnavailable
   */
  async receiveNamed(told: ToldUnasked): Promise<Receiving> {
    const account = await this.accounts.named(told.channel, told.mode, told.payment);
    return account ? this.receiveFor(told, { account, isNamed: true }) : 'no_account';
  }

  /**
   * Call it only if no item has the receipt. Safe to repeat: the claim of the receipt decides which collection the
   * payment is, whatever a later report of it names (C2B-4).
   * @throws DependencyUnavailable
   */
  async receive(told: ToldUnasked): Promise<Receiving> {
    const received = await this.receiveNamed(told);
    if (received !== 'no_account') return received;
    const account = await this.accounts.unnamed(told.channel, told.mode);
    return account ? this.receiveFor(told, { account, isNamed: false }) : 'no_account';
  }

  private async receiveFor(
    told: ToldUnasked,
    of: Pick<ReceivedPayment, 'account' | 'isNamed'>,
  ): Promise<Receiving> {
    const { channel, payment, by } = told;
    const received: ReceivedPayment = { payment: unaskedOf(channel, payment), ...of, by };
    const expected = await this.expectedKey(received, payment);
    return this.record(told, received, expected);
  }

  /** Records the payment for the expected one, or under its own receipt if none is given. */
  private async record(
    told: ToldUnasked,
    received: ReceivedPayment,
    expected?: CollectionKey,
  ): Promise<Receiving> {
    const { channel, mode, payment, prove, withdraw } = told;
    const stream = collectionStream(expected ?? receivedKey(received));
    const railReference = `c2b:${payment.receipt}`;
    const claim = await this.claims.claimReceipt(
      { channel, mode, railReference, stream },
      (other) => this.collections.moneyOf(other, payment.receipt),
    );
    if (claim.kind === 'held') return 'held';
    if (claim.kind === 'anothers') return 'received';
    const metadata = await prove(stream);
    if (!expected) await this.collections.receive(received, metadata);
    else if (!(await this.collections.receiveExpected(expected, received, metadata))) {
      // Another payment came first, so this one is recorded under its own receipt (C2B-16).
      await withdraw(stream);
      return this.record(told, received);
    }
    const recordedFor = expected ? 'expected' : received.isNamed ? 'named' : 'unnamed';
    this.collections.reports.received({ channel, mode, account: recordedFor });
    return 'received';
  }

  /** Returns the key of the open expected payment that the customer named with the account. */
  private async expectedKey(
    { account, isNamed }: ReceivedPayment,
    { reference, receipt }: TakenPayment,
  ): Promise<CollectionKey | undefined> {
    if (!isNamed || reference === undefined) return undefined;
    const { merchantId, mode, accountNo } = account;
    const key = { merchantId, mode, reference };
    const state = await this.collections.stateOf(key);
    const isExpected =
      state.status !== 'none' &&
      state.intent.origin === 'c2b' &&
      state.intent.accountNo === accountNo &&
      moneyIn(state, receipt) !== 'other';
    return isExpected ? key : undefined;
  }
}

/** A time whose zone is not certain is left out, as in the rail's list (REC-21). */
function unaskedOf(
  channel: string,
  { receipt, amountMinor, paidAt, isZoneUncertain, party }: TakenPayment,
): ReceivedPayment['payment'] {
  return {
    channel,
    receipt,
    amountMinor,
    ...(isZoneUncertain ? {} : { paidAt }),
    ...(party === undefined ? {} : { phoneMasked: party }),
  };
}
