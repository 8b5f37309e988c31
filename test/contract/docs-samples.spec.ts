import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type CallSamples, callSamples } from '#edges/api-docs';
import { PesaPost } from '#sdk';

/** A request that a sample sent. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const samples = callSamples();
const signedSamples = samples.filter(({ operationId }) => operationId !== 'issueToken');
const named = (chosen: readonly CallSamples[]) =>
  chosen.map((one) => [one.operationId, one] as const);

/** The path that a sample must call, with the examples of its parameters. */
const pathOf = ({ path }: CallSamples) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}$`);

/** Prints the arguments of `signed`, each in a line of JSON's rules, and the key that follows them. */
const signedStub = `signed() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n`;

describe('the samples for a shell', () => {
  it.each(named(signedSamples))('%s calls its own method and path', (_name, call) => {
    const printed = execFileSync('sh', ['-euc', signedStub + call.curl], { encoding: 'utf8' });
    const [method, path = '', query = '', body = '', ...more] = printed.split('\0');
    expect(method).toBe(call.method.toUpperCase());
    expect(path).toMatch(pathOf(call));
    expect(query).toBe(query.split('&').sort().join('&'));
    expect(body === '' ? undefined : JSON.parse(body)).toEqual(call.body);
    const hasKey = more.some((one) => one.startsWith('Idempotency-Key: '));
    expect(hasKey).toBe(call.method === 'post');
  });
});

const AsyncFunction = (async () => {
  // Its constructor makes functions from text.
}).constructor as new (...parts: string[]) => (...values: unknown[]) => Promise<void>;

/** Runs a sample with a client whose requests are answered here. */
async function run({ node }: CallSamples): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const client = new PesaPost({
    baseUrl: 'https://pay.example',
    clientId: 'id',
    clientSecret: 'secret',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    fetch: (url, { method, body }) => {
      const { pathname } = new URL(url);
      if (pathname === '/api/v4/oauth/token')
        return Promise.resolve(
          Response.json({ access_token: 't', expires_in: 3600, token_type: 'Bearer' }),
        );
      const text = body ?? '';
      sent.push({
        method,
        path: pathname,
        body: text === '' ? undefined : JSON.parse(text),
      });
      const answer = { data: [], postings: [], next_cursor: null, next_after_sequence: 41 };
      const item = { status: 'pending', by_status: { completed: { count: 0, amount_minor: 0 } } };
      const expected = { pay_to: { pay_bill: '600100', account: '100000001 INV7' } };
      return Promise.resolve(Response.json({ ...answer, ...item, ...expected }));
    },
  });
  const quiet = { log: () => undefined };
  await new AsyncFunction('client', 'console', node)(client, quiet);
  return sent;
}

describe('the samples for Node', () => {
  it.each(named(signedSamples))('%s calls its own method and path', async (_name, call) => {
    const [request, ...others] = await run(call);
    expect(others).toEqual([]);
    expect(request?.method).toBe(call.method.toUpperCase());
    expect(request?.path).toMatch(pathOf(call));
    expect(request?.body).toEqual(call.body);
  });

  it('cover every call', () => {
    expect(samples.length).toBeGreaterThan(16);
    for (const { node } of samples) expect(node.length).toBeGreaterThan(20);
  });
});
