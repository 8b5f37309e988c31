/** The next step for each fault, in English: a sentence that names it. Its command is shown next to it. */
export const platformTodos = {
  postgres_down: 'Postgres does not answer: nothing is served until it does.',
  event_store_down: 'The event store does not answer: no payment is taken until it does.',
  redis_down: 'Redis does not answer: no request is let in until it does.',
  process_missing: 'No process of this kind runs: start it, or read why it ended.',
  process_silent: 'This process does not answer while others of its kind do: end it and start it.',
  views_being_built: 'Wait: lists answer 503 until the views are built.',
  views_quarantined: 'An event of a merchant cannot be applied: look which. All others go on.',
  views_behind: 'The projector does not keep up: lists answer 503. See if it runs.',
  callbacks_unopened: 'Give the workers the new master key.',
  callbacks_wait: 'Callbacks wait: see if a worker runs, then decide what is left.',
  reviews_open: 'Decide the open reviews, the oldest first.',
  payouts_paused: 'Payouts are paused: resume them once the reason is gone.',
  seal_late: 'Seal the days that are missing.',
  audit_failed: 'The last audit check failed: find the cause and check again.',
  drill_never: 'Restore the last backup into another database, and try it.',
  drill_failed: 'The last backup would not restore everything: make a new one, and try it.',
  drill_old: 'The last drill is older than 90 days: try the last backup.',
} as const;

export type PlatformTodo = keyof typeof platformTodos;

/** The kind of installation, which decides the commands. */
export interface Installation {
  readonly dataDir: string;
  /** The servers that `npm start` runs itself: eventstore, postgres, redis. */
  readonly embedded: readonly string[];
  /** The URL of the event store's own health check. */
  readonly eventStoreUrl: string;
}
