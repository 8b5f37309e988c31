import { createHmac } from 'node:crypto';
import { parseMinor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import { nairobiTime } from './nairobi-time.js';
import type { Transaction } from './transactions.js';
import type { Ways } from './ways.js';

export type Said = 'TS' | 'TF' | 'TIP';

/** The text for people in a callback and an enquiry. */
export function messageOf(
  { order, paidAtMs }: Pick<Transaction<string>, 'order' | 'paidAtMs'>,
  said: string,
): string {
  const amount = `KES ${shillingsFromMinor(parseMinor(order.amountMinor))}`;
  if (said === 'TF') return `Payment of ${amount} failed.`;
  if (said !== 'TS') return `Payment of ${amount} is in process.`;
  const day = nairobiTime(paidAtMs ?? order.promptAtMs)
    .slice(0, 10)
    .replaceAll('-', '/');
  return `Paid ${amount} to PESAPOST TEST on ${day} Charge KES 0.00, Trans ID ${order.moneyId}.`;
}

/** Returns the members about Airtel's own id, which exists only after a success. */
export function moneyIdIn(
  said: string,
  moneyId: string,
  { failed_money_id: way }: Pick<Ways, 'failed_money_id'>,
): { airtel_money_id?: string } {
  if (said === 'TS' || (said === 'TF' && way === 'present')) return { airtel_money_id: moneyId };
  return said === 'TF' && way === 'empty' ? { airtel_money_id: '' } : {};
}

/**
 * Returns a callback. Its hash covers bytes that an adapter cannot write again: like some writers of JSON, this one
 * escapes slashes.
 */
export function callbackBody(
  transaction: Transaction<string>,
  said: Said,
  { ways, key }: { readonly ways: Ways; readonly key: string },
): string {
  const { order, scenario } = transaction;
  const told = JSON.stringify({
    id: order.id,
    message: messageOf(transaction, said),
    status_code: said,
    ...moneyIdIn(said, order.moneyId, ways),
  }).replaceAll('/', '\\/');
  const body = `{"transaction":${told}}`;
  if (ways.callback_hash === 'none') return body;
  const hash = createHmac('sha256', scenario.isForged ? `${key}-of-another` : key)
    .update(ways.callback_hash === 'body' ? body : told)
    .digest('base64');
  return `{"transaction":${told},"hash":"${hash}"}`;
}
