import { type PlatformTodo } from '#desk/operators';

/** The next step for a part of the platform. Its command is shown next to it. */
export const todos = {
  postgres_down: 'Postgres does not answer. No requests are served until it does.',
  event_store_down: 'The event store does not answer. No payments are accepted until it does.',
  redis_down: 'Redis does not answer. No requests are accepted until it does.',
  process_missing: 'No process of this kind is running. Start it, or read its log.',
  process_silent: 'This process does not answer, but others of its kind do. Restart it.',
  loops_stalled:
    'A part of this process does nothing: its step hangs, or fails each time. Read its log, then restart it.',
  clock_apart:
    'Set the clock of this machine, or of Postgres’, by NTP. Signed requests are refused beyond 300 s.',
  audit_failed: 'The last audit check failed. Find the cause, then check again.',
  views_being_built: 'Wait until the views are built. Until then, lists answer 503.',
  views_quarantined:
    'An event of one merchant cannot be applied. Find it. Other merchants are not affected.',
  views_behind: 'The projector is behind, so lists answer 503. Check above that it runs.',
  callbacks_unopened: 'Give the workers the new master key.',
  callbacks_unposted:
    'The rail reported money that the ledger does not have. Post each payment under its receipt, or dismiss its report.',
  callbacks_wait: 'Callbacks are waiting. Check above that a worker runs, then decide the rest.',
  collections_wait:
    'Collections have waited for the rail for too long. Check above that a worker runs, then read its log.',
  payouts_unsent:
    'Approved payouts are not sent. Check above that a worker runs, then read its log.',
  float_missing: 'Top up the account at the rail. The payouts then continue by themselves.',
  payouts_old: 'A payout has had no result for hours. A review opens by itself.',
  webhooks_overdue: 'Webhooks are overdue. Check that a worker runs. If it does, add another.',
  reviews_open: 'Decide the open reviews, the oldest first.',
  seal_late: 'Seal the missing days.',
  admin_announced: 'A new admin is announced. If you do not know why, any admin can stop it now.',
  payouts_paused: 'Payouts are paused. Resume them when the reason is gone.',
  keys_end: 'Ask the merchants to replace these keys, or give them a later end.',
  drill_never: 'Restore the last backup into another database, and test it.',
  drill_failed: 'The last backup does not restore everything. Make a new one, and test it.',
  drill_old: 'The last drill is more than 90 days old. Test the last backup.',
} as const satisfies Record<PlatformTodo, string>;
