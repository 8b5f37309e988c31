import { readFileSync } from 'node:fs';
import { packageDirectory } from '#infra/runtime';
import { expect, it } from '@jest/globals';
import { type Json } from './driver.js';
import { describeEachClient, factsOf } from './scene.js';

interface Vectors {
  readonly private_key_pem: string;
  readonly vectors: readonly (Json & { readonly name: string })[];
  readonly malformed_queries: readonly string[];
}
const { private_key_pem, vectors, malformed_queries } = JSON.parse(
  readFileSync(packageDirectory('libs/shared/signing/vectors.json'), 'utf8'),
) as Vectors;

describeEachClient((scene) => {
  it.each(vectors)(
    'signs as the vectors do: $name (AUTH-19)',
    async ({ name: _name, ...vector }) => {
      const { canonical_query, string_to_sign, signature } = vector;
      const signed = await scene.driver.request('sign', { ...vector, private_key_pem });
      expect(signed).toEqual({ canonical_query, string_to_sign, signature });
    },
  );

  it.each(malformed_queries)('refuses to sign the malformed query %j', async (raw_query) => {
    const request = { ...vectors[0], raw_query, private_key_pem };
    expect(await factsOf(scene.driver.request('sign', request))).toMatchObject({ type: 'mistake' });
  });
});
