/** The groups of calls, in the order of the reference. */
export const tags = [
  { name: 'Access token', description: 'The first of the three factors.' },
  { name: 'Collections', description: 'Money from a customer, by a push to their phone.' },
  { name: 'Refunds', description: 'A payment given back, approved by a second person.' },
  { name: 'Payouts', description: 'Money to a customer, approved by a second person.' },
  {
    name: 'Transactions',
    description: 'Collections and payouts, for dashboards and reconciliation.',
  },
  { name: 'Accounts', description: 'The wallet’s accounts and balances.' },
  {
    name: 'Events',
    description: 'The events that webhooks announce, for deliveries that were missed.',
  },
];

/** The group of the webhooks. They have a page of their own, and are no calls. */
export const webhooksTag = {
  name: 'Webhooks',
  description: 'The calls that the service makes to your endpoint.',
};
