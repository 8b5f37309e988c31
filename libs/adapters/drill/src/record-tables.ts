/**
 * For each table of the records: the latest time at which a row can have been inserted, in SQL over the row; null if no
 * column contains one. If the time moves with later updates, it is only later.
 */
export const latestAt: Readonly<Record<string, string | null>> = {
  // Tokens live for an hour; after a restore, merchants request new ones.
  access_tokens: null,
  audit_checks: 'checked_at',
  audit_state: null,
  audit_tiles: null,
  callback_inbox: 'received_at',
  client_secrets: null,
  command_line_acts: 'acted_at',
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
  // Calls are counted during the day, in any time zone, so the rows exist two days after the day begins.
  v3_calls: `day + interval '2 days'`,
  v3_checkout_links: `day + interval '2 days'`,
  v3_counted_days: 'last_at',
  v3_phone_references: `day + interval '2 days'`,
  // The projector writes the row soon after its event.
  webhook_attempts: `started_at + interval '1 minute'`,
  webhook_circuits: 'last_attempt_at',
  webhook_deliveries: `owed_at + interval '1 hour'`,
  webhook_health: 'last_attempt_at',
  webhook_requests: 'asked_at',
  webhook_secrets: 'created_at',
};

/** Tables of running processes and of the database itself; they are not restored. */
export const ownTables: ReadonlySet<string> = new Set(['heartbeats', 'leases', 'migrations']);
