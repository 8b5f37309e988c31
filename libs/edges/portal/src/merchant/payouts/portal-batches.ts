import { refuse, type Result } from '#domain/kernel';
import {
  type BatchCancelRefusal,
  type BatchDecisionRefusal,
  CancelPayoutBatch,
  type DecidedPayoutBatch,
  DecidePayoutBatch,
  FindBatchItems,
  FindPayoutBatch,
  MatchBatchItems,
  type PayoutBatch,
  type PayoutBatchDetails,
  type PayoutBatchRequest,
  payoutBatchStream,
  type PayoutRequest,
  payoutStream,
  type RequestedPayoutBatch,
  RequestPayoutBatch,
  type RequestPayoutBatchRefusal,
} from '#domain/payouts';
import { noteRequest } from '#shared/http';
import { sha256Hex } from '#shared/signing';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Place } from '../place.js';
import { type BatchItemsShown } from './batch-page.js';
import { PayoutForms } from './payout-forms.js';
import { type PersonsDecision } from './portal-payouts.js';
import { type Call, SealedForms } from './sealed-forms.js';

/** A decision on a batch. An approval names the payouts that the page showed. */
export interface PersonsBatchDecision extends PersonsDecision {
  readonly count: number;
  readonly digest: string | undefined;
}

/** A digest of the payouts by all that a person compares: reference, number, amount and fee. No field contains a space. */
export function itemsDigest(items: readonly PayoutRequest[]): string {
  const lines = items.map(({ reference, phoneHmac, amountMinor, feeMinor }) =>
    [reference, phoneHmac, amountMinor, feeMinor].join(' '),
  );
  return sha256Hex(lines.join('\n'));
}

/** The API's commands and queries about batches of payouts, with its checks, on behalf of a person. */
@Injectable()
export class PortalBatches {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    readonly forms: PayoutForms,
    private readonly sealed: SealedForms,
  ) {}

  async find({ merchantId, mode }: Place, reference: string): Promise<PayoutBatch> {
    const key = { merchantId, mode, reference };
    return (await this.queries.execute(new FindPayoutBatch(key))).state;
  }

  /** @throws DependencyUnavailable */
  async request(
    details: PayoutBatchDetails,
    file: Uint8Array,
    call: Call,
  ): Promise<Result<RequestedPayoutBatch, RequestPayoutBatchRefusal>> {
    const { reference, account, items } = details;
    const of = { merchantId: account.merchantId, mode: account.mode };
    noteRequest(call.request, { reference });
    const about = {
      stream: payoutBatchStream({ ...of, reference }),
      bytes: file,
      items: items.map((item) => ({
        stream: payoutStream({ ...of, reference: item.reference }),
        phoneHmac: this.forms.phoneHmac(item),
      })),
    };
    return this.sealed.carryOut(call, about, {
      run: (metadata) => this.commands.execute(new RequestPayoutBatch(details, metadata)),
      recordedNothing: (outcome) => !outcome.ok || outcome.value.existing !== undefined,
    });
  }

  /**
   * True if the batch with this reference is the one that the file asks for, payout by payout. A person may correct a
   * number and send the file again: they must not take the first batch for the corrected one.
   * @throws DependencyUnavailable
   */
  async isSame(
    { account, channel, items }: PayoutBatchDetails,
    existing: PayoutBatchRequest,
  ): Promise<boolean> {
    if (existing.accountNo !== account.accountNo || existing.channel !== channel) return false;
    return this.queries.execute(new MatchBatchItems(existing, items));
  }

  /**
   * The payouts of a batch as its page lists them. An approval is bound to them.
   * @throws DependencyUnavailable
   */
  async itemsOf(request: PayoutBatchRequest): Promise<BatchItemsShown> {
    const items = await this.queries.execute(new FindBatchItems(request));
    return { items, digest: itemsDigest(items) };
  }

  /**
   * Cancels a batch. One person is enough, even the one who asked for it.
   * @throws DependencyUnavailable
   */
  async cancel(
    reference: string,
    call: Call & { readonly place: Place },
  ): Promise<Result<DecidedPayoutBatch, BatchCancelRefusal>> {
    const { merchantId, mode } = call.place;
    noteRequest(call.request, { reference });
    const key = { merchantId, mode, reference };
    const holder = await this.forms.holderOf(call.viewer, call.place);
    return this.sealed.carryOut(
      call,
      { stream: payoutBatchStream(key) },
      {
        run: (metadata) => this.commands.execute(new CancelPayoutBatch(key, holder, metadata)),
        recordedNothing: (outcome) => !outcome.ok || outcome.value.isRepeated === true,
      },
    );
  }

  /**
   * Decides a batch. The decision is bound to the number, the sum and the payouts that the person saw.
   * @throws DependencyUnavailable
   */
  async decide(
    { verdict, reference, amountMinor, count, digest }: PersonsBatchDecision,
    call: Call & { readonly place: Place },
  ): Promise<Result<DecidedPayoutBatch, BatchDecisionRefusal | 'items_differ'>> {
    const { merchantId, mode } = call.place;
    noteRequest(call.request, { reference });
    const key = { merchantId, mode, reference };
    const state = await this.find(call.place, reference);
    // A batch's payouts never change once the batch is recorded as a whole, so comparing them before the command is
    // enough. Before that, no page has shown all of them.
    if (verdict === 'approve' && state.status !== 'none') {
      const shown = await this.itemsOf(state.request);
      if (shown.items.length !== state.request.count || shown.digest !== digest)
        return refuse('items_differ');
    }
    const holder = await this.forms.holderOf(call.viewer, call.place);
    const decision = { verdict, holder, count, amountMinor };
    return this.sealed.carryOut(
      call,
      { stream: payoutBatchStream(key) },
      {
        run: (metadata) => this.commands.execute(new DecidePayoutBatch(key, decision, metadata)),
        recordedNothing: (outcome) => !outcome.ok || outcome.value.isRepeated === true,
      },
    );
  }
}
