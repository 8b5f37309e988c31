import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { payoutsTodo, queueBounds, railTodo, webhooksTodo } from './queue-todos.js';

const none = { forRail: 0, oldestSeconds: 0, forFloat: 0, paused: 0, pausedSeconds: 0 };
const noPayouts = { ...none, unsentSeconds: 0 };

describe('the queues of the platform', () => {
  it('need a step if a payout is not sent, lacks the float or has no result', () => {
    expect(payoutsTodo({ ...noPayouts, unsentSeconds: 1800, oldestSeconds: 21_600 })).toBe(
      undefined,
    );
    expect(payoutsTodo({ ...noPayouts, unsentSeconds: 1801, forFloat: 1 })).toBe('payouts_unsent');
    expect(payoutsTodo({ ...noPayouts, forFloat: 1 })).toBe('float_missing');
    expect(payoutsTodo({ ...noPayouts, oldestSeconds: 21_601 })).toBe('payouts_old');
  });

  it('need a step if a webhook has been due for more than five minutes', () => {
    expect(webhooksTodo({ overdueSeconds: 300 })).toBe(undefined);
    expect(webhooksTodo({ overdueSeconds: 301 })).toBe('webhooks_overdue');
  });

  it('need a step if a collection waits a quarter of an hour longer than RAIL_REVIEW_AFTER', () => {
    expect(railTodo({ oldestSeconds: 4500 }, 3_600_000)).toBe(undefined);
    expect(railTodo({ oldestSeconds: 4501 }, 3_600_000)).toBe('collections_wait');
  });

  it('have the bounds of the alert rules', () => {
    const rules = readFileSync('deploy/observability/alerts.yml', 'utf8');
    const { payoutsUnsent, payoutsWithoutResult, webhooksOverdue } = queueBounds;
    for (const bound of [
      `pesapost_payouts_unsent_seconds) > ${payoutsUnsent}\n`,
      `pesapost_payouts_waiting_oldest_seconds) > ${payoutsWithoutResult / 3600} * 3600\n`,
      `pesapost_webhooks_overdue_seconds) > ${webhooksOverdue}\n`,
    ])
      expect(rules).toContain(bound);
  });
});
