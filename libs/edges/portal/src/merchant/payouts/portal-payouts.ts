import { type Result } from '#domain/kernel';
import {
  CancelPayout,
  type CancelRefusal,
  type DecidedPayout,
  DecidePayout,
  type DecisionRefusal,
  FindPayout,
  type FoundPayout,
  type PayoutDetails,
  payoutStream,
  type RequestedPayout,
  RequestPayout,
  type RequestPayoutRefusal,
} from '#domain/payouts';
import { noteRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Place } from '../place.js';
import { PayoutForms } from './payout-forms.js';
import { type Call, SealedForms } from './sealed-forms.js';

/** The API's commands and queries about payouts, with its checks, on behalf of a person. */
@Injectable()
export class PortalPayouts {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    readonly forms: PayoutForms,
    private readonly sealed: SealedForms,
  ) {}

  find({ merchantId, mode }: Place, reference: string): Promise<FoundPayout> {
    return this.queries.execute(new FindPayout({ merchantId, mode, reference }));
  }

  /** @throws DependencyUnavailable */
  async request(
    details: PayoutDetails,
    call: Call,
  ): Promise<Result<RequestedPayout, RequestPayoutRefusal>> {
    const { reference, account } = details;
    const { merchantId, mode } = account;
    noteRequest(call.request, { reference });
    const stream = payoutStream({ merchantId, mode, reference });
    return this.sealed.carryOut(
      call,
      { stream, phoneHmac: this.forms.phoneHmac(details) },
      {
        run: (metadata) => this.commands.execute(new RequestPayout(details, metadata)),
        recordedNothing: (outcome) => !outcome.ok || outcome.value.existing !== undefined,
      },
    );
  }

  /**
   * Cancels a payout. One person is enough, even the one who asked for it.
   * @throws DependencyUnavailable
   */
  async cancel(
    reference: string,
    call: Call & { readonly place: Place },
  ): Promise<Result<DecidedPayout, CancelRefusal>> {
    const { merchantId, mode } = call.place;
    noteRequest(call.request, { reference });
    const key = { merchantId, mode, reference };
    const holder = await this.forms.holderOf(call.viewer, call.place);
    return this.sealed.carryOut(
      call,
      { stream: payoutStream(key) },
      {
        run: (metadata) => this.commands.execute(new CancelPayout(key, holder, metadata)),
        recordedNothing: (outcome) => !outcome.ok || outcome.value.isRepeated === true,
      },
    );
  }

  /**
   * Decides a payout. The decision is bound to the amount that the person saw.
   * @throws DependencyUnavailable
   */
  async decide(
    { verdict, reference, amountMinor }: PersonsDecision,
    call: Call & { readonly place: Place },
  ): Promise<Result<DecidedPayout, DecisionRefusal>> {
    const { merchantId, mode } = call.place;
    noteRequest(call.request, { reference });
    const key = { merchantId, mode, reference };
    const decision = {
      verdict,
      amountMinor,
      holder: await this.forms.holderOf(call.viewer, call.place),
    };
    return this.sealed.carryOut(
      call,
      { stream: payoutStream(key) },
      {
        run: (metadata) => this.commands.execute(new DecidePayout(key, decision, metadata)),
        recordedNothing: (outcome) => !outcome.ok || outcome.value.isRepeated === true,
      },
    );
  }
}

/** A person's decision, as the form gives it. */
export interface PersonsDecision {
  readonly verdict: 'approve' | 'reject';
  readonly reference: string;
  readonly amountMinor: bigint;
}
