/**
 * Of each table of the records: when a row was there at the latest, in SQL over the row; null where no column tells. A
 * time that moves on with the row only makes it later.
 */
export const latestAt: Readonly<Record<string, string | null>> = {
  // They live for an hour; after a restore merchants ask for new ones.
  access_tokens: null,
  audit_checks: 'checked_at',
  audit_state: null,
  audit_tiles: null,
  callback_inbox: 'received_at',
  client_secrets: null,
  confirmed_checkouts: 'confirmed_at',
  credential_uses: 'last_used_at',
  data_keys: 'created_at',
  emptied_tables: null,
  erased_streams: 'erased_at',
  extra_rail_queries: 'asked_at',
  handled_exceptions: 'handled_at',
  idempotency_claims: 'claimed_at',
  link_secrets: 'created_at',
  notices: 'noted_at',
  payout_allowances: null,
  payout_batches: 'kept_at',
  payout_days: null,
  payout_phones: 'kept_at',
  payout_queries: null,
  person_access: 'changed_at',
  person_names: 'told_at',
  portal_held_forms: 'held_at',
  portal_sessions: 'last_seen_at',
  proposals: 'proposed_at',
  rail_messages: 'received_at',
  rail_query_attempts: 'attempted_at',
  receipt_claims: 'claimed_at',
  refused_requests: 'refused_at',
  replays: 'begun_at',
  review_proposals: 'proposed_at',
  role_proposals: 'proposed_at',
  saved_views: null,
  sealed_messages: 'received_at',
  secrets: 'created_at',
  taken_days: null,
  token_keys: 'last_used_at',
  unique_names: 'reserved_at',
  unmatched_payments: 'found_at',
  unopened_callbacks: 'received_at',
  // A day is counted while it lasts, in whatever zone, so its rows are there two days after it begins.
  v3_calls: `day + interval '2 days'`,
  v3_checkout_links: `day + interval '2 days'`,
  v3_counted_days: 'last_at',
  v3_phone_references: `day + interval '2 days'`,
  // The projector writes it, soon after the event that it tells of.
  webhook_attempts: `started_at + interval '1 minute'`,
  webhook_circuits: 'last_attempt_at',
  webhook_deliveries: `owed_at + interval '1 hour'`,
  webhook_health: 'last_attempt_at',
  webhook_requests: 'asked_at',
  webhook_secrets: 'created_at',
};

/** What belongs to processes that run and to the database itself: nothing of it is restored. */
export const ownTables: ReadonlySet<string> = new Set(['heartbeats', 'leases', 'migrations']);
