import { Injectable } from '@nestjs/common';
import { Rail, railAmount, type RailAmount, type RailLimits } from '#domain/rails';
import { type CollectionDetails, referencePattern } from '#domain/collections';
import {
  decimalFromMinor,
  DependencyUnavailable,
  minorFromDecimal,
  type Mode,
} from '#domain/kernel';
import { type Account, accountNoPattern, allowedUrl, MerchantDirectory } from '#domain/merchants';
import { CachedMerchants } from '#views/merchants';
import { ApiV3Options } from '../api-v3.options.js';
import { type Member, type Members, readMembers } from '../members.js';
import { parsePhone } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { rawBody } from '#shared/http';
import { problem } from '../errors.js';

/** The values that a collection's fields are checked against. */
export interface Terms {
  readonly account: Account;
  readonly limits: RailLimits;
  /** The hosts and schemes that the merchant's callbacks may use. */
  readonly callbacks: { readonly hosts: readonly string[]; readonly schemes: readonly string[] };
}

/** Looks up the values that a collection's fields are checked against. */
@Injectable()
export class CollectTerms {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: Rail,
    private readonly merchants: CachedMerchants,
    private readonly options: ApiV3Options,
  ) {}

  /**
   * @returns undefined if the merchant has no such account in this mode
   * @throws DependencyUnavailable if the views cannot answer, or the mode has no rail
   */
  async find(
    merchantId: string,
    mode: Mode,
    accountNo: Member | undefined,
  ): Promise<Terms | undefined> {
    if (accountNo?.kind !== 'text' || !accountNoPattern.test(accountNo.text)) return undefined;
    const account = await this.directory.findAccount(merchantId, mode, accountNo.text);
    if (!account) return undefined;
    const limits = this.rail.limits('mpesa', mode);
    if (!limits) throw new DependencyUnavailable('rail', 'none is configured for this mode');
    const hosts = (await this.merchants.merchant(merchantId))?.hosts ?? [];
    const schemes = this.options.allowPrivate ? ['https:', 'http:'] : ['https:'];
    return { account, limits, callbacks: { hosts, schemes } };
  }
}

/** The members that V3 signs, in its order. */
const signed = ['accountNumber', 'ref', 'mobileNumber', 'amount', 'currency'] as const;

const read = new WeakMap<FastifyRequest, Members>();

/** Returns the body's members, read once. @throws Problem invalid_request, unsupported_media_type */
export function membersOfRequest(request: FastifyRequest): Members {
  const known = read.get(request);
  if (known) return known;
  const members = readMembers(rawBody(request));
  read.set(request, members);
  return members;
}

/**
 * Returns the literal text received: the content of each text, and each number as it was written. A member that is
 * missing or of another kind adds nothing. If a client signs such a body, the field's own rule answers.
 */
export function signedTextOf(members: Members): string {
  return signed.map((name) => literal(members.get(name))).join('');
}

function literal(member: Member | undefined): string {
  return member?.kind === 'text' || member?.kind === 'number' ? member.text : '';
}

/**
 * Reads the fields in their order (ERR-4). The first invalid one answers, with V4's code.
 * @param terms undefined if the merchant has no such account in the mode of the call
 * @throws Problem
 */
export function collectionOf(members: Members, terms: Terms | undefined): CollectionDetails {
  if (!terms)
    throw problem('invalid_account', {
      detail: 'accountNumber must be an account of yours in the mode that live asks for.',
    });
  const reference = referenceOf(members);
  const phone = phoneOf(members);
  const amountMinor = amountOf(members, terms);
  const callbackUrl = callbackUrlOf(members, terms, phone);
  return {
    account: terms.account,
    phone,
    amountMinor,
    channel: 'mpesa',
    reference,
    origin: 'v3',
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
  };
}

function referenceOf(members: Members): string {
  const reference = textOf(members, 'ref');
  if (reference !== undefined && referencePattern.test(reference)) return reference;
  throw problem('invalid_reference', {
    detail: 'ref must begin with a letter or digit and have up to 64 letters, digits and . _ : / -',
  });
}

function phoneOf(members: Members): string {
  const phone = parsePhone(textOf(members, 'mobileNumber') ?? '');
  if (phone !== undefined) return phone;
  throw problem('invalid_phone', {
    detail: 'mobileNumber must be as 254712345678, +254712345678 or 0712345678.',
  });
}

/** Reads the amount. A JSON number is not accepted: V3's amounts are texts, so that no client rounds them. */
function amountOf(members: Members, { account, limits }: Terms): RailAmount {
  const asked = minorFromDecimal(textOf(members, 'amount') ?? '');
  const currency = textOf(members, 'currency');
  const amount = railAmount(limits, asked, currency);
  if (amount.ok && currency === account.currency) return amount.value;
  if (amount.ok || amount.refusal === 'invalid_currency')
    throw problem('invalid_currency', {
      detail: `currency must be the account’s, ${account.currency}.`,
    });
  throw problem('invalid_amount', {
    detail: `amount must be a decimal text, as "250.00", from ${decimalFromMinor(limits.stepMinor)} to ${decimalFromMinor(limits.maxMinor)} in steps of ${decimalFromMinor(limits.stepMinor)}.`,
  });
}

/** Reads the callback URL. Null counts as absent, because many encoders write it so. */
function callbackUrlOf(members: Members, { callbacks }: Terms, phone: string): string | undefined {
  const member = members.get('callbackUrl');
  if (member === undefined || member.kind === 'null') return undefined;
  const url = allowedUrl(member.kind === 'text' ? member.text : '', callbacks);
  if (!url.ok)
    throw problem('invalid_request', {
      detail: 'callbackUrl must be an https URL of a host on your list.',
    });
  // The URL is part of the intent's event, and history contains no phone number (OPS-18).
  if (url.value.href.includes(phone.slice(3)))
    throw problem('invalid_request', {
      detail: 'callbackUrl must not hold the mobile number: it is kept for ever.',
    });
  return url.value.href;
}

function textOf(members: Members, name: string): string | undefined {
  const member = members.get(name);
  return member?.kind === 'text' ? member.text : undefined;
}
