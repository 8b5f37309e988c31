import { EventStore } from '#domain/event-sourcing';
import { readHeads, SealKeySigner } from '#adapters/audit';
import { withApp } from '../../app.js';
import { printJson, printLines } from '../../print.js';
import { plainCommand } from '../plain-command.js';

/** A key, and the days whose heads it signed. */
interface KnownKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly from: string | null;
  readonly to: string | null;
}

export const key = plainCommand(
  'key',
  'shows the public keys of signed heads and of the next one; give them to people who check proofs',
  'audit key',
).action(async ({ json }: { readonly json?: true }) => {
  const known = await withApp(async (app) => {
    const keys = new Map<string, KnownKey>();
    for (const { head, publicKey } of await readHeads(app.get<EventStore>(EventStore))) {
      const { keyId, date } = head;
      keys.set(keyId, { keyId, publicKey, from: keys.get(keyId)?.from ?? date, to: date });
    }
    const signer = app.get(SealKeySigner);
    if (signer.isSet && !keys.has(signer.keyId))
      keys.set(signer.keyId, {
        keyId: signer.keyId,
        publicKey: signer.publicKey,
        from: null,
        to: null,
      });
    return [...keys.values()];
  });
  if (json)
    printJson({
      keys: known.map(({ keyId, publicKey, from, to }) => ({
        key_id: keyId,
        public_key: publicKey,
        from,
        to,
      })),
    });
  else
    printLines(
      known.flatMap(({ keyId, publicKey, from, to }) => [
        `${keyId}: ${from === null ? 'signed nothing yet' : `heads of ${from} to ${to ?? ''}`}`,
        publicPem(publicKey),
      ]),
    );
});

/** The public half of a key that signs heads. */
export function publicPem(publicKey: string): string {
  const lines = publicKey.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}
