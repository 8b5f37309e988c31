import {
  type RailAmount,
  railAmount,
  type RailLimits,
  referencePattern,
} from '#domain/collections';
import { type Minor, type Mode, ok, type Result } from '#domain/kernel';
import { type Account, allowedUrl } from '#domain/merchants';
import { canCarryResult } from '../result/return-address.js';
import { fault, type LinkFault } from './link-fault.js';

/** What a link asks for, as either version of it says it. */
export interface AskedTerms {
  readonly reference: string;
  /** Undefined where it is no amount. */
  readonly amountMinor: Minor | undefined;
  readonly currency: string;
  /** Empty where the customer is not to be sent back. */
  readonly returnUrl: string;
}

/** What it is measured against. */
export interface Measures {
  readonly version: 'v3' | 'v4';
  readonly mode: Mode;
  readonly limits: RailLimits;
  /** Undefined where the merchant has no such account in this mode. */
  readonly account: Account | undefined;
  /** Hosts that the merchant allows. */
  readonly hosts: readonly string[];
}

export interface ValidTerms {
  readonly reference: string;
  readonly amountMinor: RailAmount;
  readonly account: Account;
  readonly returnUrl?: URL;
}

/** The terms, where all of them hold; the first that does not is the fault. */
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

/** V3's shops of years ago may have no TLS, and what demonstrates may not either. */
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
