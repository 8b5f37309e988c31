import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import {
  Keyring,
  openEvidence,
  readToken,
  sealEvidence,
  sealToken,
  UnopenableCiphertext,
} from './index.js';

const first = { id: 'd2026-11.01', bytes: randomBytes(32) };
const second = { id: 'd2026-12.01', bytes: randomBytes(32) };
const evidence = { method: 'POST', path: '/api/v4/collections' };

function ring() {
  return Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
}

it('evidence is sealed under the current data key, and under the master key if none was loaded', () => {
  const keyring = ring();
  const before = sealEvidence(keyring, evidence);
  keyring.useDataKeys({ keys: [first], currentId: first.id });
  const after = sealEvidence(keyring, evidence);
  expect([before.evidence.keyId, after.evidence.keyId]).toEqual(['k1', first.id]);
  for (const sealed of [before, after])
    expect(JSON.parse(openEvidence(keyring, sealed).json.toString())).toEqual(evidence);
});

it('evidence under an earlier data key opens for as long as that key is kept', () => {
  const keyring = ring();
  keyring.useDataKeys({ keys: [first], currentId: first.id });
  const sealed = sealEvidence(keyring, evidence);
  keyring.useDataKeys({ keys: [first, second], currentId: second.id });
  expect(() => openEvidence(keyring, sealed)).not.toThrow();
  expect(sealEvidence(keyring, evidence).evidence.keyId).toBe(second.id);
});

it('dropping a data key erases what it sealed, and the commitment stays valid', () => {
  const keyring = ring();
  keyring.useDataKeys({ keys: [first], currentId: first.id });
  const sealed = sealEvidence(keyring, evidence);
  const shown = openEvidence(keyring, sealed);
  keyring.useDataKeys({ keys: [second], currentId: second.id });
  expect(() => openEvidence(keyring, sealed)).toThrow(UnopenableCiphertext);
  const hash = createHash('sha256').update(shown.salt).update(shown.json).digest('hex');
  expect(hash).toBe(sealed.commitment);
});

it('callback URLs and re-encryptable data stay under the master key', () => {
  const keyring = ring();
  keyring.useDataKeys({ keys: [first], currentId: first.id });
  expect(readToken(ring(), sealToken(keyring, 'collection-demo:m:r'))).toEqual({
    kind: 'stream',
    stream: 'collection-demo:m:r',
  });
  expect(keyring.seal('a', 'text').keyId).toBe('k1');
  expect(keyring.hmac('a', 'text')).toBe(ring().hmac('a', 'text'));
});

it.each([
  ['an id that could be a master key’s', [{ id: 'k1', bytes: randomBytes(32) }], 'k1'],
  ['a key that is too short', [{ id: first.id, bytes: randomBytes(16) }], first.id],
  ['no current one', [first], second.id],
])('data keys are rejected with %s', (_, keys, currentId) => {
  expect(() => {
    ring().useDataKeys({ keys, currentId });
  }).toThrow(RangeError);
});
