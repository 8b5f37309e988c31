import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newOwnKey, openEvidence, openMessage, sealEvidence, sealMessage } from './evidence.js';
import { Keyring, UnopenableCiphertext } from './keyring.js';

const masterKey = { id: 'k', bytes: Buffer.alloc(32, 7) };
const dataKey = { id: 'd2026-11.abc', bytes: Buffer.alloc(32, 9) };
function ring(): Keyring {
  const keyring = Keyring.from([masterKey]);
  keyring.useDataKeys({ keys: [dataKey], currentId: dataKey.id });
  return keyring;
}
const keyring = ring();
const evidence = { method: 'POST', bodyDigest: 'd' };
const bytes = fc.uint8Array({ maxLength: 500 });

describe('a message’s own key', () => {
  it('opens the message and its evidence, in another process as well', () => {
    fc.assert(
      fc.property(bytes, fc.uuid(), (content, messageId) => {
        const own = { messageId, ownKey: newOwnKey() };
        const message = sealMessage(keyring, own, content);
        const sealed = sealEvidence(keyring, evidence, own);
        expect(sealed.evidence).toMatchObject({ keyId: dataKey.id, messageId });
        expect(openMessage(ring(), own, message)).toEqual(Buffer.from(content));
        const { json } = openEvidence(ring(), sealed, own.ownKey);
        expect(JSON.parse(json.toString())).toEqual(evidence);
      }),
    );
  });

  const own = { messageId: '0199c1f0-7a1e-7c3e-9d5e-3f6f5d1c2a10', ownKey: newOwnKey() };
  const message = sealMessage(keyring, own, Buffer.from('254712345678'));
  const sealed = sealEvidence(keyring, evidence, own);

  it.each([
    ['another key', { ...own, ownKey: newOwnKey() }],
    ['another message’s', { ...own, messageId: '0199c1f0-7a1e-7c3e-9d5e-3f6f5d1c2a11' }],
    ['an empty one', { ...own, ownKey: Buffer.alloc(0) }],
  ])('is required: %s opens nothing', (_, other) => {
    expect(() => openMessage(keyring, other, message)).toThrow(UnopenableCiphertext);
    const named = { ...sealed, evidence: { ...sealed.evidence, messageId: other.messageId } };
    expect(() => openEvidence(keyring, named, other.ownKey)).toThrow(UnopenableCiphertext);
  });

  it('cannot be replaced by any key of the ring once it is gone, and the commitment remains', () => {
    expect(() => openEvidence(keyring, sealed)).toThrow(UnopenableCiphertext);
    const { messageId: _, ...withoutName } = sealed.evidence;
    const unnamed = { ...sealed, evidence: withoutName };
    expect(() => openEvidence(keyring, unnamed)).toThrow(UnopenableCiphertext);
    expect(() =>
      keyring.openBytes('message', message.keyId, message.ciphertext, own.messageId),
    ).toThrow(UnopenableCiphertext);
    expect(sealed.commitment).toMatch(/^[0-9a-f]{64}$/);
  });

  it('opens nothing without the data key', () => {
    expect(() => openMessage(Keyring.from([masterKey]), own, message)).toThrow(
      UnopenableCiphertext,
    );
  });

  it('seals the same text twice to different ciphertexts', () => {
    const again = sealMessage(keyring, own, Buffer.from('254712345678'));
    expect(again.ciphertext).not.toEqual(message.ciphertext);
    expect(sealEvidence(keyring, evidence, own).commitment).not.toBe(sealed.commitment);
  });
});

it('evidence from before messages had keys opens without one', () => {
  const { json } = openEvidence(keyring, sealEvidence(keyring, evidence));
  expect(JSON.parse(json.toString())).toEqual(evidence);
});
