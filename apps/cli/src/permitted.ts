import { type Action } from '#domain/people';
import { type Command } from 'commander';

/** By the words of a command: what its signed-in person must be permitted (PEO-3). What is not here, nobody is. */
export const actions: Readonly<Record<string, Action>> = {
  'merchant create': 'terms.change',
  'account open': 'terms.change',
  'credential issue': 'keys.change',
  'credential revoke': 'keys.change',
  'fee set': 'terms.change',
  'limits set': 'terms.change',
  'destinations set': 'terms.change',
  'hosts set': 'terms.change',
  'holder bind': 'terms.change',
  'ip-list set': 'keys.change',
  'checkout strict': 'terms.change',
  'payout approve': 'payouts.approve',
  'payout reject': 'payouts.approve',
  'payout batch approve': 'payouts.approve',
  'payout batch reject': 'payouts.approve',
  'webhook set': 'webhooks.change',
  'webhook rotate': 'webhooks.change',
  'webhook enable': 'webhooks.change',
  'webhook disable': 'webhooks.change',
  'review open': 'reviews.open',
  'review resolve': 'reviews.decide',
  'review confirm': 'reviews.decide',
  'correction post': 'corrections.decide',
  'correction confirm': 'corrections.decide',
  reconcile: 'day.close',
  replay: 'terms.change',
  'replay rollback': 'terms.change',
  'replay drop': 'terms.change',
  'evidence show': 'evidence.open',
  'evidence erase': 'terms.change',
  'role grant': 'roles.decide',
  'role confirm': 'roles.decide',
  'role decline': 'roles.decide',
  'role revoke': 'roles.decide',
  'v3 notice': 'terms.change',
  'v3 retire': 'terms.change',
};

/** For whoever has the machine: before it nobody has a role (PEO-4). */
export const withoutRole = 'role first-admins';

/** `review resolve`: the command's words behind the program's. */
export function wordsOf(command: Command): string {
  const words: string[] = [];
  for (let each = command; each.parent; each = each.parent) words.unshift(each.name());
  return words.join(' ');
}
