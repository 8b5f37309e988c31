import {
  ask,
  type AskLine,
  type NoticeAddresses,
  type NoticesRegistered,
  parseObject,
  textOf,
} from '#edges/rails';
import { type MpesaRailSettings } from '#infra/runtime';
import { isTokenRefused } from './codes.js';
import { errorCodeIn } from './error-code.js';

/** Payments go to the till if there is one. */
export function noticeShortCode({
  shortcode,
  till,
}: Pick<MpesaRailSettings, 'shortcode' | 'till'>): string {
  return till ?? shortcode;
}

/** Words that an address must not contain (C2B-11). A token has none of them, so the fault is in BASE_URL. */
const refusedWords = /m-?pesa|safaricom|exe|cmd|sql|query/i;

/** Registers our addresses for customers' payments (C2B). */
export async function register(
  line: AskLine,
  shortCode: string,
  { confirmationUrl, validationUrl, whenSilent }: NoticeAddresses,
): Promise<NoticesRegistered> {
  if ([confirmationUrl, validationUrl].some((url) => refusedWords.test(url)))
    return { kind: 'unfit_address' };
  const body = JSON.stringify({
    ShortCode: shortCode,
    ResponseType: whenSilent === 'complete' ? 'Completed' : 'Cancelled',
    ConfirmationURL: confirmationUrl,
    ValidationURL: validationUrl,
  });
  const answer = await ask<NoticesRegistered>(line, {
    body: () => body,
    read: (status, text) => readRegistered(status, text, shortCode),
  });
  return answer.kind === 'not_asked' ? { kind: 'not_asked' } : answer;
}

/** Production takes addresses once, and refuses others until they are deleted in the portal. */
const registeredBefore = '500.003.1001';

/** The sandbox answers a second registration with 200, without a code and with empty ids. */
export function readRegistered(
  status: number,
  body: string,
  shortCode: string,
): NoticesRegistered | { readonly kind: 'invalid_token' } {
  const answer = parseObject(body);
  const errorCode = answer && errorCodeIn(answer);
  if (isTokenRefused(status, errorCode) && errorCode !== noProduct)
    return { kind: 'invalid_token' };
  if (!answer) return { kind: 'unanswered' };
  if (errorCode === registeredBefore && isAboutUrls(answer)) return { kind: 'registered_before' };
  if (errorCode !== undefined)
    return status >= 500 ? { kind: 'unanswered' } : { kind: 'refused', code: errorCode };
  if (status === 200 && textOf(answer, 'ResponseCode') === '0')
    return { kind: 'registered', shortCode };
  if (status === 200 && isAboutUrls(answer)) return { kind: 'registered_before' };
  return { kind: 'unanswered' };
}

/** The app has no access to this version of C2B. It comes with status 401, but a new token would not help. */
const noProduct = '401.003.01';

/** Daraja has this code for any internal error, so its text decides. A wrong reading only leaves the outcome unknown. */
function isAboutUrls(answer: Readonly<Record<string, unknown>>): boolean {
  const text = textOf(answer, 'errorMessage') ?? textOf(answer, 'ResponseDescription') ?? '';
  return /\balready registered\b/i.test(text);
}
