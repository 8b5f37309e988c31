import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  collectionStream,
  receivedKey,
  ReceivePayment,
  type ReceivedPayment,
} from '#domain/collections';
import { type CommandMetadata, type Proof } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { Metrics } from '#infra/runtime';
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
}

/**
 * `received`: the payment is in the ledger under its own receipt, now or before. `no_account`: no account of ours is
 * named, and none holds such payments. `held`: another worker is recording the receipt.
 */
export type Receiving = 'received' | 'no_account' | 'held';

/** Records payments without a push: the account that the customer named gets the money, or it goes to suspense. */
@Injectable()
export class UnaskedPayments {
  private readonly received;

  constructor(
    private readonly accounts: NamedAccounts,
    private readonly claims: RailReferenceClaims,
    private readonly collections: CollectionsClient,
    private readonly commands: CommandBus,
    metrics: Metrics,
  ) {
    this.received = metrics.counter({
      name: 'rail_unasked_payments_total',
      help: 'Payments without a push; named: posted to the account that the customer named; unnamed: in suspense',
      labels: ['channel', 'mode', 'account'],
    });
  }

  /**
   * Call it only if no item has the receipt. Safe to repeat: the claim of the receipt decides which collection the
   * payment is, whatever a later report of it names (C2B-4).
   * @throws DependencyUnavailable
   */
  async receive({ channel, mode, payment, by, prove }: ToldUnasked): Promise<Receiving> {
    const named = await this.accounts.named(channel, mode, payment);
    const account = named ?? (await this.accounts.unnamed(channel, mode));
    if (!account) return 'no_account';
    const received: ReceivedPayment = {
      payment: unaskedOf(channel, payment),
      account,
      isNamed: named !== undefined,
      by,
    };
    const stream = collectionStream(receivedKey(received));
    const railReference = `c2b:${payment.receipt}`;
    const claim = await this.claims.claim({ channel, mode, railReference, stream }, (other) =>
      this.collections.hasMoney(other),
    );
    if (claim.kind === 'held') return 'held';
    if (claim.kind === 'claimed') {
      await this.commands.execute(new ReceivePayment(received, await prove(stream)));
      this.received.inc({ channel, mode, account: named ? 'named' : 'unnamed' });
    }
    return 'received';
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
