import { type StatementLine, StatementReader } from '#domain/reconciliation';
import {
  isCode,
  partyOf,
  readStatementFile,
  type StatementDay,
  type StatementFormat,
} from '#edges/rails';
import { type Settings } from '#infra/runtime';
import { railNameOf } from '#shared/glossary';
import { kindOf, receiptOf } from './cells.js';

export interface StatementContext extends StatementDay {
  /**
   * The short codes whose statement it may be; undefined allows any. A file that names no short code is allowed too.
   */
  readonly shortcodes?: readonly string[];
}

/** The export of the M-Pesa organisation portal (REC-9). */
const format = {
  rail: railNameOf('mpesa'),
  columns: {
    receipt: 'Receipt No.',
    completed: 'Completion Time',
    status: 'Transaction Status',
    paidIn: 'Paid In',
    withdrawn: 'Withdrawn',
    code: 'A/C No.',
    details: 'Details',
    reason: 'Reason Type',
    party: 'Other Party Info',
    linked: 'Linked Transaction ID',
  },
  optional: ['details', 'reason', 'party', 'linked'],
  completed: 'completed',
  receiptOf,
  kindOf: ({ reason, details, amountMinor }) => kindOf(reason, details, amountMinor),
  isCode,
  partyOf,
} as const satisfies StatementFormat;

/**
 * Reads an export of the M-Pesa organisation portal as it streams by.
 * @throws StatementRefused, at the latest at the file's end
 */
export function readStatement(
  chunks: AsyncIterable<Uint8Array>,
  { shortcodes, ...day }: StatementContext,
): AsyncGenerator<readonly StatementLine[]> {
  const refuses = (row: readonly string[]) => refusalOfOther(row, shortcodes);
  return readStatementFile(chunks, { ...format, refuses }, day);
}

/** Refuses a statement of another short code, which a row above the header names. */
function refusalOfOther(
  row: readonly string[],
  shortcodes: readonly string[] | undefined,
): string | undefined {
  const [, code] =
    /^short ?code[.:]*,*:?,*(\d{4,10})/i.exec(row.join(',').replace(/\s*:\s*/g, ':')) ?? [];
  if (shortcodes === undefined || code === undefined || shortcodes.includes(code)) return undefined;
  return `it is the statement of short code ${code}, and this mode’s is ${shortcodes.join(' or ')}`;
}

/**
 * Reads statements of the organisation's portal for the short codes in the settings. A mode without a rail accepts any.
 */
export class MpesaStatements extends StatementReader {
  readonly channel = 'mpesa';

  constructor(private readonly rails: Settings['rails']['mpesa']) {
    super();
  }

  override read(
    ...[chunks, { mode, accountNo, fromMs, untilMs }]: Parameters<StatementReader['read']>
  ): AsyncGenerator<readonly StatementLine[]> {
    const rail = this.rails[mode];
    const codes = rail && [rail.shortcode, rail.till, rail.payouts?.shortcode];
    const shortcodes = codes?.filter((code) => code !== undefined);
    return readStatement(chunks, { fromMs, untilMs, accountNo, ...(shortcodes && { shortcodes }) });
  }
}
