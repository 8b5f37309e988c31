import { railAmount, referenceHoldsPhone, referencePattern } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import {
  type DecidedPayout,
  type DecisionRefusal,
  type BatchDecisionRefusal,
  type DecidedPayoutBatch,
  DecidePayout,
  DecidePayoutBatch,
  FindPayoutBatch,
  MatchBatchItems,
  type PayoutBatch,
  type PayoutBatchDetails,
  type PayoutBatchRequest,
  payoutBatchStream,
  type RequestedPayoutBatch,
  RequestPayoutBatch,
  type RequestPayoutBatchRefusal,
  FindPayout,
  type FoundPayout,
  type PayoutDetails,
  PayoutPhones,
  PayoutRail,
  payoutStream,
  type RequestedPayout,
  RequestPayout,
  type RequestPayoutRefusal,
} from '#domain/payouts';
import { HolderDirectory, personId } from '#domain/people';
import { RetainedRequests, noteRequest, rawBody, rawPath, RequestSeal } from '#shared/http';
import { parsePhone, sha256Hex } from '#shared/signing';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../../access/viewer.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../texts.js';
import { minorTyped, type ReadBatch, readBatch } from './batch-file.js';
import { type BatchProblem } from './batch-page.js';
import { type AskField } from './payouts-page.js';

type Problems = MerchantTexts['payouts']['problems'];

/** What a form asks for, or what is wrong with it, by field. */
export type Asked =
  | { readonly details: PayoutDetails }
  | { readonly wrong: Partial<Readonly<Record<AskField, keyof Problems>>> };

/** What a form of a payout says, by the rules of a request (PAY-1), and under which name its sender acts. */
@Injectable()
export class PayoutForms {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: PayoutRail,
    private readonly phones: PayoutPhones,
    private readonly holders: HolderDirectory,
  ) {}

  /** Under which name the person asks and decides. @throws DependencyUnavailable */
  holderOf({ person }: Viewer, { merchantId }: Place): Promise<string> {
    return this.holders.holderOf(person, merchantId);
  }

  /** @throws DependencyUnavailable */
  async read(
    typed: Readonly<Record<AskField, string>>,
    { viewer, place }: { readonly viewer: Viewer; readonly place: Place },
  ): Promise<Asked> {
    const { merchantId, mode, accounts } = place;
    const own = accounts.find(({ accountNo }) => accountNo === typed.account);
    const account = own && (await this.directory.findAccount(merchantId, mode, own.accountNo));
    if (!account) return { wrong: { account: 'account_no' } };
    const limits = this.rail.payoutLimits(channel, mode);
    if (!limits) return { wrong: { account: 'no_rail' } };
    const phone = parsePhone(typed.phone.replace(/[\s-]/g, ''));
    if (phone === undefined) return { wrong: { phone: 'phone' } };
    const minor = minorTyped(typed.amount);
    const amount = railAmount(limits, minor, account.currency);
    if (!amount.ok) return { wrong: { amount: 'amount' } };
    const { reference } = typed;
    if (!referencePattern.test(reference)) return { wrong: { reference: 'reference' } };
    if (referenceHoldsPhone(reference, phone))
      return { wrong: { reference: 'phone_in_reference' } };
    const holder = await this.holderOf(viewer, place);
    return { details: { account, phone, amountMinor: amount.value, channel, reference, holder } };
  }

  phoneHmac({ phone }: Pick<PayoutDetails, 'phone'>): string {
    return this.phones.tracesOf(phone).phoneHmac;
  }

  /** A batch as its form and file say it, by the rules of a request (PAY-16). @throws DependencyUnavailable */
  async readBatch(
    typed: { readonly account: string; readonly reference: string; readonly text: string },
    { viewer, place }: { readonly viewer: Viewer; readonly place: Place },
  ): Promise<AskedBatch> {
    const { merchantId, mode, accounts } = place;
    const own = accounts.find(({ accountNo }) => accountNo === typed.account);
    const account = own && (await this.directory.findAccount(merchantId, mode, own.accountNo));
    if (!account) return { wrong: 'account_no' };
    const limits = this.rail.payoutLimits(channel, mode);
    if (!limits) return { wrong: 'no_rail' };
    const { reference, text } = typed;
    if (!referencePattern.test(reference)) return { wrong: 'reference' };
    const read = readBatch(text, limits, account.currency);
    if (!('rows' in read)) return read;
    if (read.rows.some(({ phone }) => referenceHoldsPhone(reference, phone)))
      return { wrong: 'phone_in_reference' };
    const holder = await this.holderOf(viewer, place);
    return { details: { account, channel, reference, items: read.rows, holder } };
  }

  /** Whether what has the reference already is what the form asks for. */
  isSame(details: PayoutDetails, { existing }: RequestedPayout): boolean {
    return (
      existing?.accountNo === details.account.accountNo &&
      existing.amountMinor === details.amountMinor &&
      existing.phoneHmac === this.phoneHmac(details)
    );
  }
}

interface Call {
  readonly request: FastifyRequest;
  readonly viewer: Viewer;
}

/** Forms as evidence of who sent what: sealed, and durable before their command's first event. */
@Injectable()
export class SealedForms {
  constructor(
    private readonly requests: RequestSeal,
    private readonly kept: RetainedRequests,
  ) {}

  /** @param recordedNothing whether such an outcome recorded nothing of the form's own @throws DependencyUnavailable */
  carryOut<Outcome>(
    { request, viewer }: Call,
    about: {
      readonly stream: string;
      readonly phoneHmac?: string;
      readonly items?: readonly { readonly stream: string; readonly phoneHmac: string }[];
      /** Where the form is not what was read: its file. */
      readonly bytes?: Uint8Array;
    },
    work: {
      readonly run: (metadata: CommandMetadata) => Promise<Outcome>;
      readonly recordedNothing: (outcome: Outcome) => boolean;
    },
  ): Promise<Outcome> {
    const person = personId(viewer.person);
    const bytes = about.bytes ?? rawBody(request)?.bytes ?? Buffer.alloc(0);
    const evidence = {
      method: request.method,
      path: rawPath(request),
      bodyDigest: sha256Hex(bytes),
      person,
    };
    const actor = { kind: 'operator', id: person } as const;
    const asked = { requestId: request.id, evidence };
    const sealed = this.requests.sealOf(actor, asked, { ...about, bytes });
    return this.kept.carryOut(sealed, () => work.run(sealed.metadata), work.recordedNothing);
  }
}

/** What a file and its form ask for, or what is wrong with them. */
export type AskedBatch =
  | { readonly details: PayoutBatchDetails }
  | { readonly wrong: BatchProblem }
  | Extract<ReadBatch, { readonly wrongRows: unknown }>;

/** What these pages ask of batches of payouts, as of single ones. */
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
   * Whether the batch that has the reference already is what the file asks for, payout by payout: who mends a number and
   * sends the file again must not take the first one for it.
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

/** What these pages ask of payouts, in a person's name: the commands of the API, with its checks. */
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

  /** Bound to the amount that the person saw. @throws DependencyUnavailable */
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

/** As a form says it. */
interface PersonsDecision {
  readonly verdict: 'approve' | 'reject';
  readonly reference: string;
  readonly amountMinor: bigint;
}

/** The rail of payouts. */
const channel = 'mpesa';
