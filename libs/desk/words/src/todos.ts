import { type PlatformTodo } from '#desk/operators';

/** The next step for a part of the platform. Its command is shown next to it. */
export const todos = {
  postgres_down: 'Postgres does not answer: nothing is served until it does.',
  event_store_down: 'The event store does not answer: no payment is taken until it does.',
  redis_down: 'Redis does not answer: no request is let in until it does.',
  process_missing: 'No process of this kind runs: start it, or read why it ended.',
  process_silent: 'This process does not answer while others of its kind do: end it and start it.',
  audit_failed: 'The last audit check failed: find the cause and check again.',
  views_being_built: 'Wait: lists answer 503 until the views are built.',
  views_quarantined:
    'One event of a merchant cannot be applied. Look which; the others go on meanwhile.',
  views_behind: 'The projector does not keep up: lists answer 503. See above if it runs.',
  callbacks_unopened: 'Give the workers the new master key.',
  callbacks_wait: 'Callbacks wait: see above if a worker runs, then decide what is left.',
  reviews_open: 'Decide the open reviews, the oldest first.',
  seal_late: 'Seal the days that are missing.',
  payouts_paused: 'Payouts are paused: resume them once the reason is gone.',
  drill_never: 'Restore the last backup into another database, and try it.',
  drill_failed: 'The last backup would not restore everything. Make a new one, and try it.',
  drill_old: 'The last drill is older than 90 days. Try the last backup.',
} as const satisfies Record<PlatformTodo, string>;
