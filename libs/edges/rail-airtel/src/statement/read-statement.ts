import { type LineKind, type StatementLine, StatementReader } from '#domain/reconciliation';
import {
  isCode,
  partyOfNumber,
  type RailCells,
  readStatementFile,
  type StatementFormat,
} from '#edges/rails';
import { railNameOf } from '#shared/glossary';
import { isMoneyId } from '../airtel/answers.js';

/** The export of Airtel's portal (REC-38). */
const format = {
  rail: railNameOf('airtel'),
  columns: {
    receipt: 'Transaction ID',
    completed: 'Date',
    status: 'Status',
    paidIn: 'Credit',
    withdrawn: 'Debit',
    code: 'External ID',
    reason: 'Service Type',
    party: 'Other Party',
    linked: 'Linked Transaction ID',
  },
  optional: ['party', 'linked'],
  completed: 'ts',
  receiptOf: (text) => (isMoneyId(text) ? text : undefined),
  kindOf,
  isCode,
  partyOf: partyOfNumber,
} as const satisfies StatementFormat;

/** Money of any other service type is a payment, a payout or a charge (REC-38). */
function kindOf({ reason, amountMinor }: RailCells): LineKind {
  const service = reason.toUpperCase();
  if (service === 'REFUND') return 'reversal';
  // Only money that went out can be on its way to the bank, or be a charge.
  if (service === 'SETTLEMENT') return amountMinor < 0n ? 'sweep' : 'transfer';
  if (amountMinor >= 0n) return 'payment_in';
  return /\b(?:charges?|fees?)\b/i.test(reason) ? 'charge' : 'payment_out';
}

/** Reads the exports of Airtel's portal. Both wallets, of payments and of payouts, are in one file. */
export class AirtelStatements extends StatementReader {
  readonly channel = 'airtel';

  override read(
    ...[chunks, { accountNo, fromMs, untilMs }]: Parameters<StatementReader['read']>
  ): AsyncGenerator<readonly StatementLine[]> {
    return readStatementFile(chunks, format, { fromMs, untilMs, accountNo });
  }
}
