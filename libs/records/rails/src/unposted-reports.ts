import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { isKnownReceipt, maxCounted, waitingPayments } from './unmatched-payments.js';

/**
 * SQL for the mode of an inbox row, which its stream names.
 * @param report the row's alias
 */
export const modeOfReport = (report: string): string =>
  `split_part(split_part(${report}.stream, ':', 1), '-', 2)`;

/**
 * SQL that is true for an unposted report: an inbox row that is left for review and reports a payment that the ledger
 * does not have (C2B-23). A payment of `reconcile missed` is decided there. A report of a payout without a receipt ends
 * with the payout's review.
 * @param report the row's alias
 */
export const isUnposted = (report: string): string => `(
  ${report}.told and ${report}.outcome like 'left_for_review%'
  and not ${isKnownReceipt(modeOfReport(report), `${report}.told_receipt`)}
  and not (${report}.told_receipt is null and exists (
    select from transactions t where t.stream = ${report}.stream and not t.under_review))
  and (
    not exists (
      select from records.unmatched_payments u
      where u.channel = ${report}.channel and u.mode = ${modeOfReport(report)} and u.receipt = ${report}.told_receipt)
    or exists (
      select from ${waitingPayments}
        and u.channel = ${report}.channel and u.mode = ${modeOfReport(report)} and u.receipt = ${report}.told_receipt)))`;

/** The numbers of payments that only unposted reports tell of; 10,000 stands for more. */
export interface UnpostedReports {
  /** The rail itself sent the report, or its own answer did. */
  readonly ofRail: number;
  /** Anyone can send such a report, so these never raise an alarm. */
  readonly ofOthers: number;
}

const counted = (sender: string): string => `
  (select count(*)::integer from (
    select distinct channel, ${modeOfReport('report')}, coalesce(told_receipt, id::text)
    from records.callback_inbox report
    where ${sender} and ${isUnposted('report')}
    limit ${maxCounted}) payments)`;
const count = `
  select ${counted('trusted')} as "ofRail", ${counted('not trusted')} as "ofOthers"
  where exists (select from checkpoint where fresh_at is not null)`;

/**
 * Counts the payments that only unposted reports tell of.
 * @returns undefined if the views never contained the whole log: they know of no money then
 * @throws DependencyUnavailable
 */
export async function countUnpostedReports(
  database: Queryable,
): Promise<UnpostedReports | undefined> {
  const [row] = await database.query<{ readonly ofRail: number; readonly ofOthers: number }>(count);
  return row;
}

const selectLeft = `
  select channel, ${modeOfReport('report')} as mode, told_receipt as receipt, split_part(outcome, ': ', 2) as why
  from records.callback_inbox report where id = $1 and outcome like 'left_for_review%'`;

/** A report of a rail that is left for review. */
export interface LeftReport {
  readonly channel: string;
  readonly mode: Mode;
  readonly receipt: string | null;
  readonly why: string;
}

/**
 * Returns the report with the id; undefined if none with it is left for review.
 * @throws DependencyUnavailable
 */
export async function leftReport(database: Queryable, id: string): Promise<LeftReport | undefined> {
  const [row] = await database.query<LeftReport>(selectLeft, [id]);
  return row;
}

const dismiss = `
  update records.callback_inbox set outcome = 'dismissed', applied_at = records.now_()
    where id = $1 and outcome like 'left_for_review%'`;

/** Ends a report that is left for review. The event of the decision comes first. @throws DependencyUnavailable */
export async function dismissReport(database: Queryable, id: string): Promise<void> {
  await database.query(dismiss, [id]);
}
