import { Injectable } from '@nestjs/common';
import { Rail, type RailLimits } from '#domain/rails';
import {
  Clock,
  DependencyUnavailable,
  type Minor,
  minorFromDecimal as minorOf,
  type Mode,
  ok,
  refuse,
  type Result,
} from '#domain/kernel';
import { type Account, MerchantDirectory } from '#domain/merchants';
import { CachedMerchants, type MerchantProfile } from '#views/merchants';
import { parseQuery } from '#shared/signing';
import { nationalPhone } from '../phone.js';
import { type CheckoutLink, type V3Link, type V4Link } from './checkout-link.js';
import { fault, type LinkFault } from './link-fault.js';
import { maxQuery } from './parameters.js';
import { validTerms } from './terms.js';
import { isUnambiguous, readV3Link, v3UseOf, verifiedReading } from './v3-link.js';
import { isHashOf, linkEnd, readV4Link } from './v4-link.js';

const minorPattern = /^[1-9][0-9]{0,15}$/;

/**
 * Opens links: finds the merchant, verifies the hash and checks the terms. No part of a link is shown or followed
 * before its hash has verified. An unknown merchant and a wrong hash are the same fault.
 */
@Injectable()
export class OpenLinks {
  constructor(
    private readonly merchants: CachedMerchants,
    private readonly directory: MerchantDirectory,
    private readonly rail: Rail,
    private readonly clock: Clock,
  ) {}

  /**
   * @param rawQuery as sent, without its question mark
   * @param onV3Route true on V3's addresses, which do not open V4's links
   * @throws DependencyUnavailable
   */
  async open(rawQuery: string, onV3Route: boolean): Promise<Result<CheckoutLink, LinkFault>> {
    if (rawQuery.length > maxQuery)
      return fault('oversized_link', `it has more than ${maxQuery} characters`);
    return isV4(rawQuery) && !onV3Route ? this.openV4(rawQuery) : this.openV3(rawQuery);
  }

  private async openV3(rawQuery: string): Promise<Result<V3Link, LinkFault>> {
    const readings = readV3Link(rawQuery);
    if (!readings.ok) return readings;
    const [{ vid } = { vid: '' }] = readings.value;
    const merchant = await this.merchants.merchantByVid(vid);
    const keys = merchant ? await this.merchants.v3LinkKeys(merchant.merchantId) : [];
    const found = keys
      .map((key) => ({ key, values: verifiedReading(readings.value, key.secret) }))
      .find(({ values }) => values !== undefined);
    if (!merchant || !found?.values) return fault('invalid_link');
    const { key, values } = found;
    const link = await this.v3Link(merchant, { key, values, rawQuery });
    if (link.ok) return link;
    return refuse({ ...link.refusal, v3Use: v3UseOf(merchant.merchantId, values) });
  }

  /** Returns the link of a merchant whose hash verified, if its terms are valid. */
  private async v3Link(
    merchant: MerchantProfile,
    { key, values, rawQuery }: Pick<V3Link, 'key' | 'values' | 'rawQuery'>,
  ): Promise<Result<V3Link, LinkFault>> {
    if (values.live !== '0' && values.live !== '1')
      return fault('malformed_link', 'live is neither 0 nor 1');
    if (merchant.checkoutStrict && !isUnambiguous(values)) return fault('ambiguous_link');
    const mode: Mode = values.live === '1' ? 'live' : 'demo';
    const asked = {
      reference: values.oid,
      amountMinor: minorFromDecimal(values.ttl),
      currency: values.curr,
      returnUrl: values.cbk,
    };
    const terms = validTerms(asked, {
      version: 'v3',
      mode,
      limits: this.limits(mode),
      account: await this.accountFor(merchant, mode, values.curr),
      hosts: merchant.hosts,
    });
    if (!terms.ok) return terms;
    return ok({
      version: 'v3',
      ...terms.value,
      key,
      values,
      rawQuery,
      merchantName: merchant.name,
      phone: nationalPhone(values.tel),
      hash: values.hsh,
    });
  }

  private async openV4(rawQuery: string): Promise<Result<V4Link, LinkFault>> {
    const read = readV4Link(rawQuery);
    if (!read.ok) return read;
    const values = read.value;
    const key = await this.merchants.checkoutKey(values.key_id);
    if (!key || !isHashOf(rawQuery, values, key.secret)) return fault('invalid_link');
    const { merchantId, mode } = key;
    const merchant = await this.merchants.merchant(merchantId);
    if (!merchant) throw new TypeError('a checkout key of no merchant');
    const endsAtMs = linkEnd(values, this.clock.nowMs());
    if (!endsAtMs.ok) return endsAtMs;
    const asked = {
      reference: values.reference,
      amountMinor: minorPattern.test(values.amount_minor) ? BigInt(values.amount_minor) : undefined,
      currency: values.currency,
      returnUrl: values.return_url,
    };
    const terms = validTerms(asked, {
      version: 'v4',
      mode,
      limits: this.limits(mode),
      account: await this.directory.findAccount(merchantId, mode, values.account_no),
      hosts: merchant.hosts,
    });
    if (!terms.ok) return terms;
    return ok({
      version: 'v4',
      ...terms.value,
      key,
      values,
      rawQuery,
      merchantName: merchant.name,
      phone: nationalPhone(values.phone),
      hash: values.hash,
      endsAtMs: endsAtMs.value,
    });
  }

  private limits(mode: Mode): RailLimits {
    const limits = this.rail.limits('mpesa', mode);
    if (!limits) throw new DependencyUnavailable('rail', 'none is configured for this mode');
    return limits;
  }

  /** Returns the link's account. V3's links name none, so it is the oldest of the mode and the currency. */
  private async accountFor(
    { merchantId, accounts }: MerchantProfile,
    mode: Mode,
    currency: string,
  ): Promise<Account | undefined> {
    const account = accounts.find((one) => one.mode === mode && one.currency === currency);
    return account && this.directory.findAccount(merchantId, mode, account.accountNo);
  }
}

/** True if the link has a parameter `hash`, however its name is spelled. V3's links have `hsh`. */
function isV4(rawQuery: string): boolean {
  const parameters = parseQuery(rawQuery);
  return parameters.ok && parameters.value.some(([name]) => name === 'hash');
}

/**
 * Allows one way to write each number, without leading zeros. The hash of a V3 link covers the text, not the number.
 */
const canonical = /^(?:0|[1-9][0-9]*)(?:\.|$)/;

/** @returns undefined if the text is no decimal amount in canonical form (PAGE-3) */
export function minorFromDecimal(text: string): Minor | undefined {
  return canonical.test(text) ? minorOf(text) : undefined;
}
