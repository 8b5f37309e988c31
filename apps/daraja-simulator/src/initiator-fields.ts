import { ok, refuse, type Result } from '#domain/kernel';
import { minorFromShillings } from '#shared/simulator';
import { type Fault, faults, invalidField } from './faults.js';
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
import type { ReversalRequest } from './reversal.js';

/** The organisation as the rail knows it: one short code collects, the other one pays. */
export interface Organization {
  readonly shortcode: string;
  readonly b2cShortcode: string;
  readonly initiator: string;
  readonly securityCredential: string;
}

/** The length limit is the longest id in M-Pesa's own documents. */
const newConversationId = (text: string): boolean => /^[A-Za-z0-9_-]{1,36}$/.test(text);
const conversationId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);
const receipt = (text: string): boolean => /^[A-Za-z0-9]{10}$/.test(text);

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

const reversalRules = [
  ['Initiator', printable(100)],
  ['SecurityCredential', printable(2000)],
  ['CommandID', (text) => text === 'TransactionReversal'],
  ['TransactionID', receipt],
  ['Amount', amount],
  ['ReceiverParty', shortcode],
  // As Daraja spells it.
  ['RecieverIdentifierType', (text) => text === '11'],
  ['ResultURL', callbackUrl],
  ['QueueTimeOutURL', callbackUrl],
  ['Remarks', (text) => text.length > 1 && printable(100)(text)],
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
  // Either may be absent or empty, but not both.
  ['TransactionID', (text) => text === '' || receipt(text)],
  ['OriginalConversationID', (text) => text === '' || conversationId(text)],
] as const satisfies Rules<string>;

/** Reads a payout. Daraja checks its fields first and the sender second. */
export function readPayout(
  body: unknown,
  organization: Organization,
): Result<PayoutRequest, Fault> {
  const read = readEach(body, payoutRules);
  if (!read.ok) return read;
  const fields = read.value;
  const fault = initiatorFault(
    organization,
    {
      initiator: fields.InitiatorName,
      credential: fields.SecurityCredential,
      party: fields.PartyA,
    },
    [organization.b2cShortcode],
  );
  if (fault) return refuse(fault);
  return ok({
    originatorConversationId: fields.OriginatorConversationID,
    amountMinor: (minorFromShillings(fields.Amount) ?? 0n).toString(),
    phone: fields.PartyB,
    resultUrl: fields.ResultURL,
  });
}

/** Reads a reversal of a payment to the short code that collects. */
export function readReversal(
  body: unknown,
  organization: Organization,
): Result<ReversalRequest, Fault> {
  const read = readEach(body, reversalRules);
  if (!read.ok) return read;
  const fields = read.value;
  const fault = initiatorFault(
    organization,
    {
      initiator: fields.Initiator,
      credential: fields.SecurityCredential,
      party: fields.ReceiverParty,
    },
    [organization.shortcode],
  );
  if (fault) return refuse(fault);
  return ok({
    paidReceipt: fields.TransactionID,
    amountMinor: (minorFromShillings(fields.Amount) ?? 0n).toString(),
    resultUrl: fields.ResultURL,
  });
}

/** A status query about one transaction, by its receipt, by its conversation, or by both. */
export interface StatusQuestion {
  readonly receipt: string | undefined;
  readonly conversationId: string | undefined;
  readonly resultUrl: string;
}

/** Reads a status query. */
export function readStatusQuestion(
  body: unknown,
  organization: Organization,
): Result<StatusQuestion, Fault> {
  const names = { TransactionID: '', OriginalConversationID: '' };
  const isObject = typeof body === 'object' && body !== null;
  const read = readEach(isObject ? { ...names, ...body } : body, statusRules);
  if (!read.ok) return read;
  const { TransactionID, OriginalConversationID, ResultURL } = read.value;
  if (TransactionID === '' && OriginalConversationID === '')
    return refuse(invalidField('OriginalConversationID'));
  const fault = questionFault(organization, read.value);
  if (fault) return refuse(fault);
  return ok({
    receipt: TransactionID || undefined,
    conversationId: OriginalConversationID || undefined,
    resultUrl: ResultURL,
  });
}

/**
 * Reads a query of a short code's balance.
 */
export function readBalanceQuestion(
  body: unknown,
  organization: Organization,
): Result<{ readonly resultUrl: string; readonly shortCode: string }, Fault> {
  const read = readEach(body, questionRules('AccountBalance'));
  if (!read.ok) return read;
  const fault = questionFault(organization, read.value);
  const { ResultURL: resultUrl, PartyA: shortCode } = read.value;
  return fault ? refuse(fault) : ok({ resultUrl, shortCode });
}

/** A query may name either short code. */
function questionFault(
  organization: Organization,
  fields: Readonly<Record<'Initiator' | 'SecurityCredential' | 'PartyA', string>>,
): Fault | undefined {
  const { Initiator: initiator, SecurityCredential: credential, PartyA: party } = fields;
  const { shortcode, b2cShortcode } = organization;
  return initiatorFault(organization, { initiator, credential, party }, [shortcode, b2cShortcode]);
}

/** Returns the fault of a request of an initiator, if it has one. The party must be one of the short codes. */
function initiatorFault(
  { initiator, securityCredential }: Organization,
  given: { readonly initiator: string; readonly credential: string; readonly party: string },
  shortcodes: readonly string[],
): Fault | undefined {
  if (!shortcodes.includes(given.party)) return faults.unknownMerchant;
  const isKnown = given.initiator === initiator && given.credential === securityCredential;
  return isKnown ? undefined : faults.wrongCredentials;
}
