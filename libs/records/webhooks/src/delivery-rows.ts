import { type WebhookKind } from '#domain/merchants';
import { type Mode } from '#domain/kernel';
import { type DeliveryTarget } from './deliveries.js';

/*
 * Parts that the statements about deliveries share. A target is a destination of deliveries: an endpoint's own URL, or
 * one host of the merchant's callback URLs. Each target has a circuit, which is open after several failures in a row.
 * While it is open, one delivery at a time probes the target.
 */

/** Failures in a row that open a target's circuit (WEB-13). */
export const failuresToOpen = 3;

export const millisecond = `interval '1 millisecond'`;
export const endpointKey = 'merchant_id, mode, kind';
export const targetKey = `${endpointKey}, callback_host`;

/** The order of deliveries: requested by a person, never attempted, attempted before. */
export const turns = { asked: 0, first: 1, again: 2 } as const;

export const targetKeyIn = (table: string): string => targetKey.replaceAll(/\w+/g, `${table}.$&`);

/** The condition that two rows have the same target. */
export const isSameTarget = (one: string, other: string): string =>
  `(${targetKeyIn(one)}) = (${targetKeyIn(other)})`;

/**
 * The condition that a circuit is about this URL: failures of an earlier URL say nothing about a new one (WEB-13). A
 * callback host's circuit has no URL.
 */
export const isAboutUrl = (circuit: string, url: string): string =>
  `coalesce(${circuit}.url = ${url}, true)`;

/**
 * The condition that `event` is the delivery's. After an older backup of the log is restored, another event may have
 * its number.
 */
export const isEventOf = (delivery: string): string =>
  `(event.merchant_id, event.mode, event.sequence, event.id)
      = (${delivery}.merchant_id, ${delivery}.mode, ${delivery}.sequence, ${delivery}.webhook_id)`;

/** A loose index scan: one lookup per target, however many deliveries it has. @param max maximum number of targets */
export const walkTargets = (after: string, max: string): string => `
  with recursive walk as (
    (select ${targetKey}, 1 as step from records.webhook_deliveries
      where next_attempt_at is not null and (${targetKey}) > (${after})
      order by ${targetKey} limit 1)
    union all
    select next.*, walk.step + 1
      from walk cross join lateral (
        select ${targetKeyIn('d')} from records.webhook_deliveries d
          where d.next_attempt_at is not null and (${targetKeyIn('d')}) > (${targetKeyIn('walk')})
          order by ${targetKeyIn('d')} limit 1) as next
      where walk.step < ${max}
  )`;

export interface TargetRow {
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly kind: WebhookKind;
  readonly callback_host: string;
}

export function targetOf(row: TargetRow): DeliveryTarget {
  const { merchant_id: merchantId, mode, kind, callback_host: callbackHost } = row;
  return { merchantId, mode, kind, callbackHost };
}

export function targetRowOf({ merchantId, mode, kind, callbackHost }: DeliveryTarget): TargetRow {
  return { merchant_id: merchantId, mode, kind, callback_host: callbackHost };
}
