import { railAmount, type RailLimits } from '#domain/rails';
import { referenceHoldsPhone, referencePattern } from '#domain/collections';
import { concurrently } from '#domain/kernel';
import { type Account, MerchantDirectory } from '#domain/merchants';
import {
  type PayoutBatchDetails,
  type PayoutDetails,
  PayoutPhones,
  PayoutRail,
  type PayoutRequest,
  payoutStream,
  type RequestedPayout,
} from '#domain/payouts';
import { HolderDirectory } from '#domain/people';
import { parsePhone } from '#shared/signing';
import { Injectable } from '@nestjs/common';
import { type Viewer } from '../../access/viewer.js';
import { type Place } from '../place.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { minorTyped, readBatch, type ReadBatch } from './batch-file.js';
import { type BatchProblem } from './batch-page.js';
import { type AskField } from './ask-page.js';

type Problems = MerchantTexts['payouts']['problems'];

/** The fields of a batch's form, and its file. */
export interface TypedBatch {
  readonly account: string;
  /** Empty if the form offers one rail. */
  readonly channel: string;
  readonly reference: string;
  readonly text: string;
}

/** The payout that a form asks for, or the form's errors by field. */
export type Asked =
  | { readonly details: PayoutDetails }
  | { readonly wrong: Partial<Readonly<Record<AskField, keyof Problems>>> };

/** Reads the forms of payouts and batches by the API's rules (PAY-1, PAY-16), for the holder that their sender acts as. */
@Injectable()
export class PayoutForms {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: PayoutRail,
    private readonly phones: PayoutPhones,
    private readonly holders: HolderDirectory,
  ) {}

  /**
   * The holder that the person acts as when they ask and decide.
   * @throws DependencyUnavailable
   */
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
    const rail = this.railOf(account, typed.channel);
    if ('wrong' in rail)
      return { wrong: { [rail.wrong === 'channel' ? 'channel' : 'account']: rail.wrong } };
    const { channel, limits } = rail;
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

  /** The rails from which any of the place's accounts pays out, the usual one first. */
  railsOf({ mode, accounts }: Place): readonly string[] {
    return this.rail
      .channels(mode)
      .filter((channel) => accounts.some(({ channels }) => channels.includes(channel)));
  }

  /** The rail that a form names, or the account's usual one if it names none (AIR-9). */
  private railOf(
    { mode, channels }: Account,
    typed: string,
  ):
    | { readonly channel: string; readonly limits: RailLimits }
    | { readonly wrong: 'no_rail' | 'channel' } {
    const own = this.rail.channels(mode).filter((channel) => channels.includes(channel));
    const [first] = own;
    if (first === undefined) return { wrong: 'no_rail' };
    const channel = typed === '' ? first : own.find((one) => one === typed);
    const limits = channel === undefined ? undefined : this.rail.payoutLimits(channel, mode);
    return channel === undefined || !limits ? { wrong: 'channel' } : { channel, limits };
  }

  phoneHmac({ phone }: Pick<PayoutDetails, 'phone'>): string {
    return this.phones.tracesOf(phone).phoneHmac;
  }

  /**
   * The last four digits of the payouts' numbers, by the payouts' references, for an approver to compare. It only has
   * numbers that the records still keep. The digits are on no other page, in no event and in no log.
   * @throws DependencyUnavailable
   */
  async lastDigits(requests: readonly PayoutRequest[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    await concurrently(requests, maxNumbersAtOnce, async (request) => {
      const { phoneHmac } = request;
      if (phoneHmac === undefined) return;
      const phone = await this.phones.find(payoutStream(request), phoneHmac);
      if (phone !== undefined) found.set(request.reference, phone.slice(-4));
    });
    return found;
  }

  /**
   * Reads the form and file of a batch.
   * @throws DependencyUnavailable
   */
  async readBatch(
    typed: TypedBatch,
    { viewer, place }: { readonly viewer: Viewer; readonly place: Place },
  ): Promise<AskedBatch> {
    const { merchantId, mode, accounts } = place;
    const own = accounts.find(({ accountNo }) => accountNo === typed.account);
    const account = own && (await this.directory.findAccount(merchantId, mode, own.accountNo));
    if (!account) return { wrong: 'account_no' };
    const rail = this.railOf(account, typed.channel);
    if ('wrong' in rail) return rail;
    const { channel, limits } = rail;
    const { reference, text } = typed;
    if (!referencePattern.test(reference)) return { wrong: 'reference' };
    const read = readBatch(text, limits, account.currency);
    if (!('rows' in read)) return read;
    if (read.rows.some(({ phone }) => referenceHoldsPhone(reference, phone)))
      return { wrong: 'phone_in_reference' };
    const holder = await this.holderOf(viewer, place);
    return { details: { account, channel, reference, items: read.rows, holder } };
  }

  /** True if the payout with this reference is the one that the form asks for. */
  isSame(details: PayoutDetails, { existing }: RequestedPayout): boolean {
    return (
      existing?.accountNo === details.account.accountNo &&
      existing.channel === details.channel &&
      existing.amountMinor === details.amountMinor &&
      existing.phoneHmac === this.phoneHmac(details)
    );
  }
}

/** The batch that a file and its form ask for, or their error. */
export type AskedBatch =
  | { readonly details: PayoutBatchDetails }
  | { readonly wrong: BatchProblem }
  | Extract<ReadBatch, { readonly wrongRows: unknown }>;

/** Numbers that are read at the same time. */
const maxNumbersAtOnce = 1000;
