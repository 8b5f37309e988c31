import { type Result } from '#domain/kernel';
import {
  type BatchDecisionRefusal,
  type DecidedPayoutBatch,
  DecidePayoutBatch,
  FindPayoutBatch,
  MatchBatchItems,
  type PayoutBatch,
  type PayoutBatchDetails,
  type PayoutBatchRequest,
  payoutBatchStream,
  payoutStream,
  type RequestedPayoutBatch,
  RequestPayoutBatch,
  type RequestPayoutBatchRefusal,
} from '#domain/payouts';
import { noteRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Place } from '../place.js';
import { PayoutForms } from './payout-forms.js';
import { type PersonsDecision } from './portal-payouts.js';
import { type Call, SealedForms } from './sealed-forms.js';

/** The API's commands and queries about batches of payouts, with its checks, in a person's name. */
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
   * Whether the batch with this reference is the one that the file asks for, payout by payout: a person who corrects a
   * number and sends the file again must not take the first batch for the corrected one.
   * @throws DependencyUnavailable
   */
  async isSame(
    { account, items }: PayoutBatchDetails,
    existing: PayoutBatchRequest,
  ): Promise<boolean> {
    if (existing.accountNo !== account.accountNo) return false;
    return this.queries.execute(new MatchBatchItems(existing, items));
  }

  /** Bound to the number and the sum that the person saw. @throws DependencyUnavailable */
  async decide(
    { verdict, reference, amountMinor, count }: PersonsDecision & { readonly count: number },
    call: Call & { readonly place: Place },
  ): Promise<Result<DecidedPayoutBatch, BatchDecisionRefusal>> {
    const { merchantId, mode } = call.place;
    noteRequest(call.request, { reference });
    const key = { merchantId, mode, reference };
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
