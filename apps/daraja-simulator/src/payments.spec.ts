import { describe, expect, it } from '@jest/globals';
import { type AcceptedPush, lineOf, resultOf } from './payment.js';
import { PaidLines, Payments } from './payments.js';
import { scenarios } from './scenarios.js';

const phones = ['254712345678', ...Object.keys(scenarios)];

function pushOf(phone: string): AcceptedPush {
  return {
    transactionType: 'CustomerPayBillOnline',
    amountMinor: '25050',
    phone,
    callbackUrl: 'http://127.0.0.1:8080/rails/aa',
    accountReference: 'ORDER 7 "é"',
    checkoutRequestId: `ws_CO_30112026101500${phone.slice(-9)}`,
    merchantRequestId: '29115-34620561-1',
    acceptedAtMs: 1_796_022_900_123,
    promptAtMs: 1_796_022_900_456,
    delayMs: 800,
    receipt: `UKU${phone.slice(-7)}`,
  };
}

describe('a payment that is over', () => {
  it.each(phones)('keeps everything except its callback URL: %s', (phone) => {
    const payments = new Payments();
    const paid = new PaidLines(payments);
    const payment = payments.add(pushOf(phone));
    payment.reached = payment.finished = payment.scenario.steps.length;
    payment.busyQueries = 1;
    payments.keep(payment);
    expect([...payments.unfinished()]).toEqual([]);
    expect(payments.size).toBe(1);
    const read = payments.get(payment.push.checkoutRequestId);
    expect(read).toEqual({ ...payment, push: { ...payment.push, callbackUrl: '' } });
    expect(read && resultOf(read)).toBe(payment.scenario.steps.at(-1)?.result);

    paid.addPush(payment);
    expect(paid.get(payment.push.receipt)).toEqual(lineOf(payment));
    expect([...paid.values()]).toEqual([lineOf(payment)]);
  });

  it('still counts the queries that it put off', () => {
    const payments = new Payments();
    const payment = payments.add(pushOf('254700000016'));
    payment.reached = payment.finished = 1;
    payments.keep(payment);
    for (let count = 1; count <= 2; count += 1) {
      const read = payments.get(payment.push.checkoutRequestId);
      if (read === undefined) throw new Error('the payment is gone');
      read.busyQueries += 1;
      payments.keep(read);
      expect(payments.get(payment.push.checkoutRequestId)?.busyQueries).toBe(count);
    }
    expect(payments.size).toBe(1);
  });
});

it('a payment with a step to come is handed out itself, so that every holder sees its progress', () => {
  const payments = new Payments();
  const payment = payments.add(pushOf('254700000008'));
  payment.reached = payment.finished = 1;
  payments.keep(payment);
  expect(payments.get(payment.push.checkoutRequestId)).toBe(payment);
  expect([...payments.unfinished()]).toEqual([payment]);
});
