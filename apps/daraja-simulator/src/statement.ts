import { type Minor } from '#domain/kernel';
import { shillingsFromMinor } from './amount.js';
import { portalTime } from './east-africa-time.js';
import type { PaidLine } from './memory.js';
import { paidMinor } from './payment.js';

/** The columns of the M-Pesa organisation portal's export. */
const columns = [
  'Receipt No.',
  'Completion Time',
  'Initiation Time',
  'Details',
  'Transaction Status',
  'Paid In',
  'Withdrawn',
  'Balance',
  'Balance Confirmed',
  'Reason Type',
  'Other Party Info',
  'Linked Transaction ID',
  'A/C No.',
];

/** Rows go out in groups of so many: large enough to be quick, small enough that the event loop breathes. */
const rowsAtOnce = 500;

/** The statement as text (RFC 4180), newest payment first, in parts. Balances start at zero with the first payment. */
export function* statement(paid: readonly PaidLine[]): Generator<string> {
  const newestFirst = paid.toSorted(byTime).reverse();
  let balance = newestFirst.reduce((sum, { payment }) => sum + paidMinor(payment), 0n);
  let text = row(columns);
  for (const [number, line] of newestFirst.entries()) {
    text += row(cells(line, balance));
    balance -= paidMinor(line.payment);
    if (number % rowsAtOnce === rowsAtOnce - 1) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/** Payments of one millisecond stand by receipt: a restart changes no byte of the statement. */
function byTime(left: PaidLine, right: PaidLine): number {
  if (left.paidAtMs !== right.paidAtMs) return left.paidAtMs - right.paidAtMs;
  return left.payment.push.receipt < right.payment.push.receipt ? -1 : 1;
}

function cells({ payment, paidAtMs }: PaidLine, balance: Minor): string[] {
  const { push } = payment;
  const payBill = push.transactionType === 'CustomerPayBillOnline';
  const party = `${push.phone.slice(0, 4)}*****${push.phone.slice(-3)} - TEST CUSTOMER`;
  return [
    push.receipt,
    portalTime(paidAtMs),
    portalTime(push.promptAtMs),
    payBill
      ? `Pay Bill Online from ${party} Acc. ${push.accountReference}`
      : `Merchant Payment Online from ${party}`,
    'Completed',
    shillingsFromMinor(paidMinor(payment)),
    '',
    shillingsFromMinor(balance),
    'true',
    payBill ? 'Pay Bill Online' : 'Merchant Payment Online',
    party,
    '',
    push.accountReference,
  ];
}

function row(values: readonly string[]): string {
  return `${values.map(quoted).join(',')}\r\n`;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
