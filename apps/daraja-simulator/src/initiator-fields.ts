import { ok, refuse, type Result } from '#domain/kernel';
import { minorFromShillings } from './amount.js';
import { type Fault, faults } from './faults.js';
import {
  amount,
  callbackUrl,
  phone,
  printable,
  readEach,
  type Rules,
  shortcode,
} from './fields.js';
import type { PayoutRequest } from './payout.js';

/** The sender of payouts as the rail knows it. */
export interface Payer {
  readonly b2cShortcode: string;
  readonly initiator: string;
  readonly securityCredential: string;
}

/** The length limit is the longest id in M-Pesa's own documents. */
const newConversationId = (text: string): boolean => /^[A-Za-z0-9_-]{1,36}$/.test(text);
const conversationId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

const payoutRules = [
  ['OriginatorConversationID', newConversationId],
  ['InitiatorName', printable(100)],
  ['SecurityCredential', printable(2000)],
  ['CommandID', (text) => /^(?:Business|Salary|Promotion)Payment$/.test(text)],
  ['Amount', amount],
  ['PartyA', shortcode],
  ['PartyB', phone],
  ['Remarks', printable(100)],
  ['QueueTimeOutURL', callbackUrl],
  ['ResultURL', callbackUrl],
  ['Occassion', printable(100)],
] as const satisfies Rules<string>;

const questionRules = (commandId: string) =>
  [
    ['Initiator', printable(100)],
    ['SecurityCredential', printable(2000)],
    ['CommandID', (text: string) => text === commandId],
    ['PartyA', shortcode],
    ['IdentifierType', (text: string) => text === '4'],
    ['Remarks', printable(100)],
    ['QueueTimeOutURL', callbackUrl],
    ['ResultURL', callbackUrl],
  ] as const satisfies Rules<string>;

const statusRules = [
  ...questionRules('TransactionStatusQuery'),
  ['OriginalConversationID', conversationId],
] as const satisfies Rules<string>;

/** Reads a payout. Daraja checks its fields first and the sender second. */
export function readPayout(body: unknown, payer: Payer): Result<PayoutRequest, Fault> {
  const read = readEach(body, payoutRules);
  if (!read.ok) return read;
  const fields = read.value;
  const { PartyA, InitiatorName, SecurityCredential } = fields;
  const fault = payerFault(payer, [PartyA, InitiatorName, SecurityCredential]);
  if (fault) return refuse(fault);
  return ok({
    originatorConversationId: fields.OriginatorConversationID,
    amountMinor: (minorFromShillings(fields.Amount) ?? 0n).toString(),
    phone: fields.PartyB,
    resultUrl: fields.ResultURL,
  });
}

/** Reads a status query about a payout. */
export function readStatusQuestion(
  body: unknown,
  payer: Payer,
): Result<Pick<PayoutRequest, 'originatorConversationId' | 'resultUrl'>, Fault> {
  const read = readEach(body, statusRules);
  if (!read.ok) return read;
  const { PartyA, Initiator, SecurityCredential, ResultURL, OriginalConversationID } = read.value;
  const fault = payerFault(payer, [PartyA, Initiator, SecurityCredential]);
  if (fault) return refuse(fault);
  return ok({ originatorConversationId: OriginalConversationID, resultUrl: ResultURL });
}

/**
 * Reads a query of the balance.
 * @returns its ResultURL
 */
export function readBalanceQuestion(body: unknown, payer: Payer): Result<string, Fault> {
  const read = readEach(body, questionRules('AccountBalance'));
  if (!read.ok) return read;
  const { PartyA, Initiator, SecurityCredential, ResultURL } = read.value;
  const fault = payerFault(payer, [PartyA, Initiator, SecurityCredential]);
  return fault ? refuse(fault) : ok(ResultURL);
}

function payerFault(
  payer: Payer,
  [partyA, initiator, credential]: readonly [string, string, string],
): Fault | undefined {
  if (partyA !== payer.b2cShortcode) return faults.unknownMerchant;
  const isKnown = initiator === payer.initiator && credential === payer.securityCredential;
  return isKnown ? undefined : faults.wrongCredentials;
}
