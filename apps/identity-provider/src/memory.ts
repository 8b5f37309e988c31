import { LRUCache } from 'lru-cache';
import { type Adapter, type AdapterPayload } from 'oidc-provider';

/** Sessions, codes and tokens of all kinds. A few people have a few each. */
const maxKept = 5000;
/** The lifetime of entries that name none. */
const dayS = 86_400;

/**
 * Keeps the provider's state in this process only. A restart forgets it, and a flood evicts the least recently used
 * entries.
 */
export class Memory {
  readonly #kept = new LRUCache<string, AdapterPayload>({ max: maxKept });

  /** Returns the store of one kind of entry. */
  readonly adapter = (kind: string): Adapter => {
    const keyOf = (id: string): string => `${kind}:${id}`;
    const find = (is: (payload: AdapterPayload) => boolean): AdapterPayload | undefined => {
      for (const [key, payload] of this.#kept.entries())
        if (key.startsWith(`${kind}:`) && is(payload)) return payload;
      return undefined;
    };
    return {
      upsert: (id, payload, expiresIn) => {
        this.#kept.set(keyOf(id), payload, { ttl: (expiresIn ?? dayS) * 1000 });
        return Promise.resolve();
      },
      find: (id) => Promise.resolve(this.#kept.get(keyOf(id))),
      findByUserCode: (code) => Promise.resolve(find(({ userCode }) => userCode === code)),
      findByUid: (wanted) => Promise.resolve(find(({ uid }) => uid === wanted)),
      consume: (id) => {
        const payload = this.#kept.get(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
        return Promise.resolve();
      },
      destroy: (id) => {
        this.#kept.delete(keyOf(id));
        return Promise.resolve();
      },
      revokeByGrantId: (wanted) => {
        for (const [key, { grantId }] of [...this.#kept.entries()])
          if (grantId === wanted) this.#kept.delete(key);
        return Promise.resolve();
      },
    };
  };
}
