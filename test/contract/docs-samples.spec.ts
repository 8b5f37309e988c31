import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { type CallSamples, callSamples } from '#edges/api-docs';

const samples = callSamples();
const signedSamples = samples.filter(({ operationId }) => operationId !== 'issueToken');
const named = (chosen: readonly CallSamples[]) =>
  chosen.map((one) => [one.operationId, one] as const);

/** The path that a sample must call, with the examples of its parameters. */
const pathOf = ({ path }: CallSamples) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}$`);

/** Prints the arguments of `signed`, each in a line of JSON's rules, and the key that follows them. */
const signedStub = `signed() { for argument in "$@"; do printf '%s\\0' "$argument"; done; }\n`;

/** The conformance suite of the clients runs the samples in other languages. */
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

  it('cover every call', () => {
    expect(samples.length).toBeGreaterThan(16);
  });
});
