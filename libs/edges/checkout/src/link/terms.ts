import { railAmount, type RailAmount, type RailLimits } from '#domain/rails';
import { referencePattern } from '#domain/collections';
import { type Minor, type Mode, ok, type Result } from '#domain/kernel';
import { type Account, allowedUrl } from '#domain/merchants';
import { canCarryResult } from '../result/return-address.js';
import { fault, type LinkFault } from './link-fault.js';

/** The terms of a link, in either version. */
export interface AskedTerms {
  readonly reference: string;
  /** Undefined if it is no amount. */
  readonly amountMinor: Minor | undefined;
  readonly currency: string;
  /** Empty if the customer is not sent back. */
  readonly returnUrl: string;
}

/** The values that the terms are checked against. */
export interface Measures {
  readonly version: 'v3' | 'v4';
  readonly mode: Mode;
  readonly limits: RailLimits;
  /** Undefined if the merchant has no such account in this mode. */
  readonly account: Account | undefined;
  /** The hosts that the merchant allows. */
  readonly hosts: readonly string[];
}

export interface ValidTerms {
  readonly reference: string;
  readonly amountMinor: RailAmount;
  readonly account: Account;
  readonly returnUrl?: URL;
}

/** Returns the terms if all of them are valid. The first one that is not is the fault. */
export function validTerms(asked: AskedTerms, measures: Measures): Result<ValidTerms, LinkFault> {
  const { reference, currency } = asked;
  const { limits, account } = measures;
  if (!referencePattern.test(reference)) return fault('invalid_reference');
  const amount = railAmount(limits, asked.amountMinor, currency);
  if (!amount.ok) return fault(amount.refusal);
  if (!account) return fault('invalid_account');
  if (account.currency !== currency) return fault('invalid_currency');
  const returnUrl = validReturnUrl(asked.returnUrl, measures);
  if (!returnUrl.ok) return returnUrl;
  return ok({
    reference,
    amountMinor: amount.value,
    account,
    ...(returnUrl.value === undefined ? {} : { returnUrl: returnUrl.value }),
  });
}

/** Checks the return URL. Old shops of V3 may have no TLS, and demonstrations may not either. */
function validReturnUrl(
  text: string,
  { version, mode, hosts }: Measures,
): Result<URL | undefined, LinkFault> {
  if (text === '' && version === 'v3') return ok(undefined);
  const schemes = version === 'v4' && mode === 'live' ? ['https:'] : ['https:', 'http:'];
  const url = allowedUrl(text, { hosts, schemes });
  if (!url.ok) return fault('invalid_return_url', url.refusal.replaceAll('_', ' '));
  if (!canCarryResult(url.value, version))
    return fault('invalid_return_url', 'its query has a name of the result’s');
  return ok(url.value);
}
