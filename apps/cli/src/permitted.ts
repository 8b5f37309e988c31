import { type Action } from '#domain/people';
import { type Command } from 'commander';

/** The action that each command needs, by the command's words (PEO-3). A command in neither list is refused to everyone. */
export const actions: Readonly<Record<string, Action>> = {
  'merchant create': 'terms.change',
  'merchant list': 'merchants.list',
  'merchant show': 'merchant.see',
  'account open': 'terms.change',
  'account channels': 'terms.change',
  'credential issue': 'keys.change',
  'credential expiry set': 'keys.change',
  'credential list': 'keys.see',
  'credential revoke': 'keys.change',
  'fee set': 'terms.change',
  'limits set': 'terms.change',
  'destinations set': 'terms.change',
  'hosts set': 'terms.change',
  'holder bind': 'terms.change',
  'holder list': 'keys.see',
  'ip-list set': 'keys.change',
  'checkout strict': 'terms.change',
  'payout list': 'transactions.see',
  'payout show': 'transactions.see',
  'payout approve': 'payouts.approve',
  'payout reject': 'payouts.approve',
  'payout cancel': 'payouts.cancel',
  'payout pause': 'payouts.pause',
  'payout resume': 'payouts.resume',
  'payout batch list': 'transactions.see',
  'payout batch show': 'transactions.see',
  'payout batch approve': 'payouts.approve',
  'payout batch reject': 'payouts.approve',
  'payout batch cancel': 'payouts.cancel',
  'webhook set': 'webhooks.change',
  'webhook rotate': 'webhooks.change',
  'webhook enable': 'webhooks.change',
  'webhook disable': 'webhooks.change',
  'webhook deliveries': 'webhooks.see',
  'webhook show': 'webhooks.see',
  'webhook resend': 'webhooks.resend',
  'webhook trigger': 'webhooks.resend',
  'review list': 'reviews.see',
  'review show': 'reviews.see',
  'review open': 'reviews.open',
  'review resolve': 'reviews.decide',
  'review confirm': 'reviews.decide',
  'review dismiss': 'reviews.decide',
  'correction list': 'corrections.see',
  'correction show': 'corrections.see',
  'correction post': 'corrections.decide',
  'correction confirm': 'corrections.decide',
  'correction withdraw': 'corrections.decide',
  reconcile: 'day.close',
  'reconcile list': 'day.see',
  'reconcile show': 'day.see',
  'reconcile missed': 'items.find',
  'reconcile window': 'platform.maintain',
  // The address is a secret of the rail's.
  'rail callback-address': 'terms.change',
  'rail balance show': 'platform.see',
  'rail balance accept': 'corrections.decide',
  'rail notices register': 'terms.change',
  'rail notices show': 'platform.see',
  show: 'items.find',
  history: 'items.find',
  find: 'items.find',
  balance: 'transactions.see',
  statement: 'transactions.export',
  events: 'audit.see',
  'pending list': 'platform.see',
  'pending confirm': 'proposals.decide',
  'pending decline': 'proposals.decide',
  'audit seal': 'platform.maintain',
  drill: 'platform.maintain',
  'audit prove': 'items.find',
  'audit losses show': 'audit.see',
  'audit losses accept': 'terms.change',
  'projection quarantine retry': 'platform.maintain',
  replay: 'terms.change',
  'replay rollback': 'terms.change',
  'replay drop': 'terms.change',
  'evidence show': 'evidence.open',
  'evidence erase': 'terms.change',
  'keys rewrap': 'platform.maintain',
  'keys wrap': 'platform.maintain',
  'role grant': 'roles.decide',
  'role confirm': 'roles.decide',
  'role decline': 'roles.decide',
  'role revoke': 'roles.decide',
  'role list': 'roles.see',
  'role suspend': 'roles.decide',
  'role unsuspend': 'roles.decide',
  'session list': 'sessions.see',
  'session end': 'sessions.end',
  'v3 notice': 'terms.change',
  'v3 retire': 'terms.change',
  'v3 status': 'merchants.list',
  'v3 outreach': 'merchants.list',
  'v3 readiness': 'merchants.list',
};

/** The command needs only access to the machine: before it no one has a role (PEO-4). */
export const firstAdmins = 'role first-admins';

/** To stop grants nothing and is urgent, so it needs no proof of presence (PEO-59). */
export const withoutPresence: ReadonlySet<string> = new Set(['role break-glass stop']);

/**
 * Commands for people who are signed in, about which the log decides the rest. Everyone who has the machine may
 * announce an admin. A suspended admin, whose roles do not count, may stop an announcement (PEO-58, PEO-59).
 */
export const withoutAction: ReadonlySet<string> = new Set([
  'role break-glass announce',
  ...withoutPresence,
]);

/**
 * Commands that need no role: signing in, the step of a release, which the owner of the database could also do by hand, checks that a machine runs by itself and that show no merchant's payments,
 * and commands that work with a merchant's own credential.
 */
export const withoutRole: ReadonlySet<string> = new Set([
  firstAdmins,
  ...['login', 'logout', 'whoami'],
  ...['status', 'migrate', 'verify', 'audit check', 'audit key', 'keys status'],
  ...['projection quarantine list', 'replay list'],
  ...['webhook listen', 'demo key'],
]);

/** The command's words without the program's, such as `review resolve`. */
export function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let each = command; each.parent; each = each.parent) words.unshift(each.name());
  return words.join(' ');
}
