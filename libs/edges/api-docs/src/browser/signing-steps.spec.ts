import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { signingSteps } from './signing-steps.js';

interface Vector {
  readonly name: string;
  readonly method: string;
  readonly raw_path: string;
  readonly raw_query: string;
  readonly body_base64: string;
  readonly nonce: string;
  readonly timestamp: string;
  readonly canonical_query: string;
  readonly string_to_sign: string;
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../../shared/signing/vectors.json', import.meta.url), 'utf8'),
) as { vectors: Vector[] };

const inputOf = ({ method, raw_path, raw_query, body_base64, nonce, timestamp }: Vector) => ({
  method,
  path: raw_path,
  query: raw_query,
  body: Buffer.from(body_base64, 'base64').toString('utf8'),
  nonce,
  timestamp,
});

/** The vectors that a reader can type: those with text bodies. */
const typable = vectors.filter(
  ({ body_base64: base64 }) =>
    Buffer.from(Buffer.from(base64, 'base64').toString('utf8')).toString('base64') === base64,
);

describe('the signing walk-through', () => {
  it.each(typable.map((vector) => [vector.name, vector] as const))(
    'shows the string to sign of the vector: %s',
    async (_name, vector) => {
      const steps = await signingSteps(inputOf(vector));
      expect(steps.canonicalQuery).toBe(vector.canonical_query);
      expect(steps.stringToSign).toBe(vector.string_to_sign);
      expect(steps.bytes).toBe(Buffer.byteLength(vector.string_to_sign));
    },
  );

  it('shows shell commands that make and sign the same bytes, including for shell special characters', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const folder = mkdtempSync(join(tmpdir(), 'pesapost-walk-through-'));
    try {
      writeFileSync(
        join(folder, 'merchant.key'),
        privateKey.export({ type: 'pkcs8', format: 'pem' }),
      );
      for (const vector of [
        ...typable,
        {
          ...vectors[0],
          body_base64: Buffer.from(`{"a":"it's $HOME \`x\` %s\n"}`).toString('base64'),
        },
      ]) {
        const { commands, stringToSign } = await signingSteps(inputOf(vector as Vector));
        const signature = execFileSync('sh', ['-eu', '-c', commands], { cwd: folder });
        expect(readFileSync(join(folder, 'string-to-sign'), 'utf8')).toBe(stringToSign);
        const bytes = Buffer.from(signature.toString(), 'base64');
        expect(verify('sha256', Buffer.from(stringToSign), publicKey, bytes)).toBe(true);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reports a broken percent-encoding in the query', async () => {
    const input = { method: 'GET', path: '/', query: 'a=%zz', body: '', nonce: '', timestamp: '' };
    await expect(signingSteps(input)).rejects.toBeInstanceOf(URIError);
  });
});
