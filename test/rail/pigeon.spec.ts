import { describeRail } from './contract.js';
import { lostPhone, PigeonRail, unknownPhone } from './pigeon.js';

const pigeon = new PigeonRail();
const unreachable = new PigeonRail(false);
let urls = 0;

describeRail('the rail of the tests', {
  adapter: () => pigeon,
  unreachable: () => unreachable,
  phones: { accepted: '254712345678', refused: unknownPhone, unknown: lostPhone },
  callbackUrl: () => `https://pay.example/rails/${(urls += 1)}`,
  promptsFor: (url) =>
    Promise.resolve(pigeon.prompts.filter(({ callbackUrl }) => callbackUrl === url).length),
  referenceOf: (query) => {
    const railReference = `P-${query}`;
    const does = { paid: 'pays', declined: 'declines', unresolved: 'waits' } as const;
    pigeon.customers.set(railReference, does[query]);
    return Promise.resolve(railReference);
  },
  callbacks: {
    paid: 'P-1 paid 25000 2026-01-02T03:04:05Z',
    declined: 'P-1 declined',
    'unreadable amount': 'P-1 paid 25,000 2026-01-02T03:04:05Z',
    'unreadable date': 'P-1 paid 25000 yesterday',
    none: '{"Body":{}}',
  },
  pushTimeoutMs: 1000,
});
