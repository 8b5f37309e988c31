import { slug } from '#shared/html';
import { tags } from '../document/tags.js';
import { clientLanguages } from './languages.js';

/** The pages of the site that are no reference of calls, in the order of the sidebar. */
export const guideGroups = [
  {
    title: 'Get started',
    entries: [
      { address: '/docs', title: 'Introduction', words: '' },
      { address: '/docs/quick-start', title: 'Quick start', words: 'curl openssl first call' },
      { address: '/docs/test-numbers', title: 'Test numbers', words: 'demo simulator phone' },
      { address: '/docs/going-live', title: 'Going live', words: 'checklist production' },
    ],
  },
  {
    title: 'Guides',
    entries: [
      {
        address: '/docs/guides/signing',
        title: 'Authentication and signing',
        words: 'token signature nonce timestamp key rsa order of checks walk-through',
      },
      {
        address: '/docs/guides/requests',
        title: 'Requests and answers',
        words: 'headers limits rate amount timeouts position read your writes',
      },
      {
        address: '/docs/guides/idempotency',
        title: 'Idempotency and retries',
        words: 'safe to repeat idempotency-key reference timeout',
      },
      { address: '/docs/webhooks', title: 'Webhooks', words: 'events endpoint hmac secret' },
      { address: '/docs/errors', title: 'Errors', words: 'codes status retry' },
      {
        address: '/docs/guides/sdk',
        title: 'Clients and checkout page',
        words: `sdk node javascript library hosted ${clientLanguages.map(({ title }) => title).join(' ')}`,
      },
    ],
  },
] as const;

/** A page of the reference: the calls of one resource. */
export interface ReferenceGroup {
  readonly name: string;
  readonly description: string;
}

/** The calls of batches are a group of their own, because those of payouts fill a page. */
const payoutBatches = {
  name: 'Payout batches',
  description: 'Up to 1,000 payouts, requested and approved as one.',
  path: '/api/v4/payout-batches',
};

/** The groups of the reference: the document's tags, with batches after payouts. */
export const referenceGroups: readonly ReferenceGroup[] = tags.flatMap((tag) =>
  tag.name === 'Payouts' ? [tag, payoutBatches] : [tag],
);

/** A call, as far as its place in the reference depends on it. */
interface PlacedCall {
  readonly path: string;
  readonly operation: { readonly tags: readonly string[]; readonly operationId: string };
}

export function groupOf({ path, operation }: PlacedCall): string {
  return path.startsWith(payoutBatches.path) ? payoutBatches.name : (operation.tags[0] ?? '');
}

export function groupAddress(name: string): string {
  return `/docs/reference/${slug(name)}`;
}

export function callAddress(call: PlacedCall): string {
  return `${groupAddress(groupOf(call))}#${slug(call.operation.operationId)}`;
}

/** The path of every page. */
export const pageAddresses: readonly string[] = [
  ...guideGroups.flatMap(({ entries }) => entries.map(({ address }) => address)),
  ...referenceGroups.map(({ name }) => groupAddress(name)),
];
