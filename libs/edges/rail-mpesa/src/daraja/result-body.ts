import { type Verdict } from '#domain/rails';
import { type Instant, type Minor } from '#domain/kernel';
import {
  isObject,
  memberObject,
  parseBytes,
  type PayoutCallback,
  railIdOf,
  textOf,
} from '#edges/rails';
import { isDoneBefore, isPendingStatus, payoutResultOf, statusResultOf } from './codes.js';
import { fromEastAfricaDigits, fromShillings, railReceiptOf } from './notation.js';

/** `21.11.2026 14:05:09`, the form in the result of a payment. */
const dottedTime = /^(\d{2})\.(\d{2})\.(\d{4}) (\d{2}):(\d{2}):(\d{2})$/;
/** The ResultType of a result that another one follows. A decline that is not final releases no money. */
const moreToCome = '1';
/** The short code's account from which payouts are paid. */
const payingAccount = 'Utility Account';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads the result of a B2C payment or of a reversal; returns undefined if the bytes are none. If it lacks our own name
 * for the payment, the name is empty and matches no payment, but the rail's name may still identify it.
 */
export function readPayoutResult(bytes: Uint8Array): PayoutCallback | undefined {
  const result = resultIn(bytes);
  const resultCode = result && textOf(result, 'ResultCode');
  if (!result || resultCode === undefined) return undefined;
  const originatorConversationId = railIdOf(result, 'OriginatorConversationID') ?? '';
  if (textOf(result, 'ResultType') === moreToCome)
    return { originatorConversationId, ...conversationOf(result), verdict: { kind: 'unresolved' } };
  const parameters = parametersOf(result);
  const read = payoutResultOf(resultCode);
  const verdict =
    read.kind === 'paid'
      ? paidVerdict(resultCode, {
          amount: parameters.get('TransactionAmount') ?? parameters.get('Amount'),
          receipt: textOf(result, 'TransactionID') ?? parameters.get('TransactionReceipt'),
          time:
            parameters.get('TransactionCompletedDateTime') ?? parameters.get('TransCompletedTime'),
        })
      : isDoneBefore(resultCode)
        ? ({ kind: 'unresolved', unknownCode: resultCode, isSuccess: true } as const)
        : read;
  const reverses = railReceiptOf(parameters.get('OriginalTransactionID'));
  return {
    originatorConversationId,
    ...conversationOf(result),
    ...(reverses === undefined ? {} : { reverses }),
    verdict,
  };
}

/**
 * Reads the answer to a transaction status query.
 * - Its own ResultCode says if the question was answered. The payment's outcome is the parameter TransactionStatus.
 * - The payment's names are the parameters OriginatorConversationID and ConversationID, which sometimes have spaces in
 *   their names. The ids beside the parameters are the question's own.
 * - If it does not name the payment, the name is empty and matches no payment, so it settles nothing.
 */
export function readPayoutAnswer(bytes: Uint8Array): PayoutCallback | undefined {
  const result = resultIn(bytes);
  const resultCode = result && textOf(result, 'ResultCode');
  if (!result || resultCode === undefined) return undefined;
  const parameters = parametersOf(result);
  const told = Object.fromEntries(parameters);
  return {
    originatorConversationId:
      railIdOf(told, 'OriginatorConversationID') ??
      railIdOf(told, 'Originator Conversation ID') ??
      '',
    ...conversationOf(told, 'ConversationID', 'Conversation ID'),
    verdict: resultCode === '0' ? statusVerdict(parameters) : unknown(resultCode),
  };
}

/**
 * Reads the balance of the account that pays out, the lesser of its current and its available amount; undefined if
 * absent.
 */
export function readFloat(bytes: Uint8Array): Minor | undefined {
  const [, currency, current = '', available = ''] =
    accountCells(bytes)?.cells.find(([name]) => name === payingAccount) ?? [];
  const [first, second] = [signedShillings(current), signedShillings(available)];
  if (currency !== 'KES' || first === undefined || second === undefined) return undefined;
  return first < second ? first : second;
}

/**
 * Returns the cells of each account in an answer about balances, and the rail's time: name, currency, current,
 * available, reserved and uncleared sum. Undefined if the bytes are no such answer.
 */
export function accountCells(
  bytes: Uint8Array,
): { readonly cells: readonly (readonly string[])[]; readonly time: string } | undefined {
  const result = resultIn(bytes);
  if (!result || textOf(result, 'ResultCode') !== '0') return undefined;
  const parameters = parametersOf(result);
  const accounts = (parameters.get('AccountBalance') ?? '').split('&');
  return {
    cells: accounts.map((account) => account.split('|').map((cell) => cell.trim())),
    time: parameters.get('BOCompletedTime') ?? '',
  };
}

function statusVerdict(parameters: ReadonlyMap<string, string>): Verdict {
  const status = parameters.get('TransactionStatus');
  if (status === undefined || isPendingStatus(status)) return { kind: 'unresolved' };
  const read = statusResultOf(status);
  if (read.kind !== 'paid') return read;
  return paidVerdict('0', {
    amount: parameters.get('Amount'),
    receipt: parameters.get('ReceiptNo'),
    time: parameters.get('FinalisedTime'),
  });
}

/**
 * Returns the verdict of a success. Without an amount it settles nothing, because it may not count as a payment of the
 * requested amount. But the verdict still says that it is a success, and includes its receipt.
 */
function paidVerdict(
  resultCode: string,
  told: Readonly<Record<'amount' | 'receipt' | 'time', string | undefined>>,
): Verdict {
  const amountMinor = fromShillings(told.amount ?? '');
  const named = railReceiptOf(told.receipt);
  const receipt = named === undefined ? {} : { receipt: named };
  if (amountMinor === undefined || amountMinor <= 0n)
    return { kind: 'unresolved', isSuccess: true, ...receipt };
  const paidAt = timeOf(told.time ?? '');
  return {
    kind: 'paid',
    resultCode,
    ...receipt,
    amountMinor,
    ...(paidAt === undefined ? {} : { paidAt }),
  };
}

function unknown(unknownCode: string): Verdict {
  return { kind: 'unresolved', unknownCode };
}

/** Returns the id under the first of the names that has one. */
function conversationOf(
  object: JsonObject,
  ...names: readonly string[]
): Pick<PayoutCallback, 'conversationId'> {
  const ids = (names.length > 0 ? names : ['ConversationID']).flatMap(
    (name) => railIdOf(object, name) ?? [],
  );
  return ids[0] === undefined ? {} : { conversationId: ids[0] };
}

export function timeOf(text: string): Instant | undefined {
  const [, day, month, year, ...clock] = dottedTime.exec(text) ?? [];
  if (day === undefined || month === undefined || year === undefined)
    return fromEastAfricaDigits(text);
  return fromEastAfricaDigits([year, month, day, ...clock].join(''));
}

export function signedShillings(text: string): Minor | undefined {
  if (!text.startsWith('-')) return fromShillings(text);
  const minor = fromShillings(text.slice(1));
  return minor === undefined ? undefined : -minor;
}

export function resultIn(bytes: Uint8Array): JsonObject | undefined {
  return memberObject(parseBytes(bytes), 'Result');
}

/**
 * Returns the parameters that have a value, by key. If a key appears twice, the first counts. A single parameter may
 * come without a list.
 */
export function parametersOf(result: JsonObject): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const given = memberObject(result, 'ResultParameters')?.['ResultParameter'];
  for (const parameter of Array.isArray(given) ? (given as unknown[]) : [given]) {
    if (!isObject(parameter)) continue;
    const key = textOf(parameter, 'Key');
    const value = textOf(parameter, 'Value');
    if (key !== undefined && value !== undefined && !found.has(key)) found.set(key, value);
  }
  return found;
}
