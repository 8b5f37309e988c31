import { describe, expect, it } from '@jest/globals';
import { type Instant } from '#domain/kernel';
import { type Transaction, type WebhookEventType } from '#sdk';
import { type TransactionItem } from '#views/transactions';
import { type WebhookType } from '#views/webhook-outbox';

/** The type as a client reads it: an instant is text. */
type Read<T> = {
  readonly [N in keyof T]: T[N] extends Instant | null ? string | Extract<T[N], null> : T[N];
};

/** The names count, too: otherwise an optional member of only one type would go unnoticed. */
type IsWithin<A, B> = [A, keyof A] extends [B, keyof B] ? true : false;
type AreSame<A, B> = [IsWithin<A, B>, IsWithin<B, A>];

describe('the SDK’s types', () => {
  it('have the fields of the list’s item, and their types, for a transaction', () => {
    const same: AreSame<Transaction, Read<TransactionItem>> = [true, true];
    expect(same).toEqual([true, true]);
  });

  it('have the event types that the service sends, for webhooks', () => {
    const same: AreSame<WebhookEventType, WebhookType> = [true, true];
    expect(same).toEqual([true, true]);
  });
});
