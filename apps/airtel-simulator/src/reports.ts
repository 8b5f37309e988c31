import type { FastifyReply } from 'fastify';
import type { Ways } from './ways.js';

/** An outcome by the codes of a product, of the layer below it (`ESB…`), or both. */
export interface Outcome {
  readonly responseCode?: string;
  /** Airtel calls it deprecated, and sends it. */
  readonly resultCode: string;
  readonly isSuccess: boolean;
  readonly message: string;
  /** The HTTP status, if it is not 200. */
  readonly http?: number;
}

/**
 * An answer to a request.
 * - an outcome, in the envelope that all products share
 * - `router`: a code of the gateway (`ROUTER…`)
 * - `bare`: a status of HTTP with a body that is no JSON
 */
export type Report =
  | Outcome
  | { readonly router: keyof typeof routerTexts }
  | { readonly bare: number; readonly text: string };

/** Collections: the last three digits of `DP00800001…`. */
export const collectionTexts = {
  '000': 'The transaction is still processing and is in ambiguous state.',
  '001': 'Transaction is successful.',
  '002': 'Incorrect pin has been entered.',
  '003': 'Exceeds withdrawal amount limit(s).',
  '004': 'Invalid amount.',
  '005': 'User did not enter the pin.',
  '006': 'Transaction in pending state. Please check after sometime.',
  '007': 'User wallet does not have enough money to cover the payable amount.',
  '008': 'The transaction was refused.',
  '009': 'Do not honor.',
  '010': 'Transaction not permitted to payee.',
  '024': 'The transaction was timed out.',
  '025': 'The transaction was not found.',
  '026': 'X-signature and payload did not match.',
  '029': 'Transaction has been expired.',
} as const;

/** Payouts: the last three digits of `DP00900001…`. */
export const payoutTexts = {
  '000': 'The transaction is still processing and is in ambiguous state.',
  '001': 'Transaction is successful.',
  '003': 'Maximum transaction limit reached.',
  '004': 'Amount entered is out of range with respect to defined limits.',
  '005': 'Transaction failed.',
  '006': 'Transaction is in process.',
  '007': 'Not enough funds in account to complete the transaction.',
  '011': 'Transaction with similar information already exists in this system.',
  '012': 'Mobile number entered is incorrect.',
  '013': 'The transaction was refused.',
  '014': 'The transaction may be processed or failed due to time out.',
  '015': 'The transaction was not found.',
  '016': 'X-signature and payload did not match.',
  '017': 'Duplicate Transaction Id.',
} as const;

export const esbTexts = {
  ESB000001: 'Something went wrong.',
  ESB000004: 'An error occurred while initiating the payment.',
  ESB000008: 'Field validation error.',
  ESB000014: 'An error occurred while fetching the transaction status.',
  ESB000033: 'Invalid Msisdn Length. Msisdn Length should be 9.',
  ESB000034: 'Invalid country name.',
  ESB000035: 'Invalid currency code.',
  ESB000041: 'Transaction with external transaction id already exists.',
  '0000900': 'The transaction might be in ambiguous state.',
} as const;

const routerTexts = {
  ROUTER003: 'Missing header/body params.',
  ROUTER006: 'Invalid country.',
  ROUTER112: 'Invalid currency.',
  ROUTER115: 'Incorrect pin.',
  ROUTER116: 'Incorrect encrypted pin.',
  ROUTER117: 'Request timeout.',
  ROUTER119: 'Invalid/missing currency.',
} as const;

export type CollectionCode = keyof typeof collectionTexts;
export type PayoutCode = keyof typeof payoutTexts;

/** 006 means that a prompt was sent, or that the transaction is in process: no refusal. */
const successes: readonly string[] = ['001', '006'];

/** The result code of a success, and of a failure. */
const resultCodes = { success: 'ESB000010', failure: 'ESB000011' } as const;

export function collectionOutcome(code: CollectionCode, http?: number): Outcome {
  return outcome(`DP00800001${code}`, successes.includes(code), collectionTexts[code], http);
}

export function payoutOutcome(code: PayoutCode): Outcome {
  return outcome(`DP00900001${code}`, successes.includes(code), payoutTexts[code]);
}

/** Returns the outcome of a product without a table of its own here. */
export function outcome(
  responseCode: string,
  isSuccess: boolean,
  message: string,
  http?: number,
): Outcome {
  return {
    responseCode,
    resultCode: isSuccess ? resultCodes.success : resultCodes.failure,
    isSuccess,
    message,
    ...(http !== undefined && { http }),
  };
}

/** Returns an outcome of the layer below the products, which has no `response_code`. */
export function esbOutcome(resultCode: keyof typeof esbTexts): Outcome {
  return { resultCode, isSuccess: false, message: esbTexts[resultCode] };
}

/** Sends an answer. A refusal of the gateway is in the envelope, or flat with HTTP 400: public sources show both. */
export function sendReport(
  reply: FastifyReply,
  report: Report,
  ways: Pick<Ways, 'router_errors'>,
  data?: object,
): FastifyReply {
  if ('bare' in report)
    return reply.code(report.bare).type('text/html; charset=utf-8').send(report.text);
  if ('router' in report) {
    const message = routerTexts[report.router];
    if (ways.router_errors === 'flat')
      return reply.code(400).send({ status_code: report.router, status_message: message });
    return reply.send({
      status: { response_code: report.router, code: '400', success: false, message },
    });
  }
  const { responseCode, resultCode, isSuccess, message, http = 200 } = report;
  return reply.code(http).send({
    ...(data && { data }),
    status: {
      ...(responseCode !== undefined && { response_code: responseCode }),
      code: isSuccess || data ? '200' : '400',
      success: isSuccess,
      result_code: resultCode,
      message,
    },
  });
}
