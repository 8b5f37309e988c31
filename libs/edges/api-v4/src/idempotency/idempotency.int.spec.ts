import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DependencyUnavailable, ok, Overloaded, refuse, type Result } from '#domain/kernel';
import { IdempotencyClaims } from '#records/credentials';
import { KeyClaims, RedisStore } from '#infra/redis';
import { createLogger } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import {
  eventually,
  redisNamespace,
  sealedMessage,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { type Caller } from '../authentication/caller.js';
import {
  Idempotency,
  type IdempotencySecret,
  type KeyedCall,
  openIdempotencySecret,
} from './idempotency.js';

const logger = createLogger({ app: 'test', level: 'silent' });
const masterKey = { id: 'old', bytes: randomBytes(32) };
const keyring = Keyring.from([masterKey]);
let postgres: ThrowAwayDatabase;
let redis: RedisStore;
let secret: IdempotencySecret;
let idempotency: Idempotency;

beforeAll(async () => {
  postgres = await throwAwayDatabase({ poolSize: 8 });
  redis = await freshRedis();
  secret = await openSecret(keyring);
  idempotency = over(redis);
});
afterAll(async () => {
  await redis.close();
  await postgres.drop();
});

function openSecret(of: Keyring): Promise<IdempotencySecret> {
  return openIdempotencySecret(postgres.database, of);
}

async function freshRedis(): Promise<RedisStore> {
  const store = new RedisStore({ ...redisNamespace(), logger });
  await store.start();
  return store;
}

function over(store: RedisStore): Idempotency {
  return new Idempotency(secret, new KeyClaims(store), new IdempotencyClaims(postgres.database));
}

/** The stand-in for the streams of a real effect: a reference exists from its first run on, and runs report it. */
class Streams {
  readonly runs: string[] = [];
  private readonly existing = new Map<string, string>();
  /** The outcomes of runs whose reference existed already. */
  private readonly found = new Set<Result<string, 'rail_rejected'>>();

  constructor(private readonly before: () => Promise<unknown> = () => Promise.resolve()) {}

  effect(reference: string, state = 'pending') {
    return {
      current: () => Promise.resolve(this.existing.get(reference)),
      recordedNothing: (outcome: Result<string, 'rail_rejected'>) =>
        outcome.ok && this.found.delete(outcome),
      run: async (): Promise<Result<string, 'rail_rejected'>> => {
        await this.before();
        const known = this.existing.get(reference);
        if (known !== undefined) {
          const outcome = ok(known);
          this.found.add(outcome);
          return outcome;
        }
        this.existing.set(reference, state);
        this.runs.push(reference);
        return ok(state);
      },
    };
  }
}

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;

function callOf(key: string, reference: string, over: Partial<KeyedCall> = {}): KeyedCall {
  return {
    caller: caller('m1', 'demo', key),
    route: 'POST /api/v4/collections',
    reference,
    fields: [reference, 25000],
    message: sealedMessage(),
    ...over,
  };
}

const caller = (merchantId: string, mode: 'demo' | 'live', idempotencyKey: string) =>
  ({ credential: { credentialId: `c-${merchantId}`, merchantId, mode }, idempotencyKey }) as Caller;

const ageClaims = (ms: number) =>
  postgres.database.query(
    `update records.idempotency_claims set claimed_at = claimed_at - $1 * interval '1 millisecond'`,
    [ms],
  );

const kept = async () => {
  const text = `select (select count(*) from records.idempotency_claims)::int as claims,
    (select count(*) from records.sealed_messages)::int as messages`;
  return (await postgres.database.query<{ claims: number; messages: number }>(text))[0];
};

describe('a money-movement call', () => {
  it('runs once; its repeat is the current state, marked as a replay', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const first = await idempotency.once(callOf(key, 'a1'), streams.effect('a1'));
    const again = await idempotency.once(callOf(key, 'a1'), streams.effect('a1'));
    expect(first).toEqual(ok({ value: 'pending', replayed: false }));
    expect(again).toEqual(ok({ value: 'pending', replayed: true }));
    expect(streams.runs).toEqual(['a1']);
  });

  it('runs once if it races with its repeats, which are answered as in progress', async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<undefined>();
    const [key, streams] = [newKey(), new Streams(() => gate)];
    const racers = Array.from({ length: 20 }, () =>
      idempotency.once(callOf(key, 'b1'), streams.effect('b1')),
    );
    const answered: unknown[] = [];
    for (const racer of racers) void racer.then((answer) => answered.push(answer));
    await eventually(
      () => Promise.resolve(answered.length),
      (length) => length >= 19,
    );
    const inProgress = { ok: false, refusal: 'idempotency_in_progress' };
    expect(answered).toEqual(Array.from({ length: 19 }, () => inProgress));
    release(undefined);
    const all = await Promise.all(racers);
    expect(all.filter((answer) => answer.ok)).toEqual([ok({ value: 'pending', replayed: false })]);
    expect(streams.runs).toEqual(['b1']);
  });

  it('with a key that was used for other fields is refused', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await idempotency.once(callOf(key, 'c1'), streams.effect('c1'));
    const other = await idempotency.once(callOf(key, 'c2'), streams.effect('c2'));
    expect(other).toEqual({ ok: false, refusal: 'idempotency_key_reused' });
    expect(streams.runs).toEqual(['c1']);
  });

  it('returns the state of an existing reference, regardless of the key', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await idempotency.once(callOf(key, 'd1'), streams.effect('d1'));
    const fields = ['d1', 99];
    const sameKey = await idempotency.once(callOf(key, 'd1', { fields }), streams.effect('d1'));
    const newOne = await idempotency.once(callOf(newKey(), 'd1'), streams.effect('d1'));
    expect(sameKey).toEqual(ok({ value: 'pending', replayed: false }));
    expect(newOne).toEqual(ok({ value: 'pending', replayed: false }));
    expect(streams.runs).toEqual(['d1']);
  });

  it('has its key to itself in its merchant, mode and route', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const calls = [
      callOf(key, 'e1'),
      callOf(key, 'e2', { caller: caller('m2', 'demo', key) }),
      callOf(key, 'e3', { caller: caller('m1', 'live', key) }),
      callOf(key, 'e4', { route: 'POST /api/v4/payouts' }),
    ];
    for (const call of calls)
      expect((await idempotency.once(call, streams.effect(call.reference))).ok).toBe(true);
    expect(streams.runs).toEqual(['e1', 'e2', 'e3', 'e4']);
  });
});

describe('a call that created nothing because its reference existed', () => {
  const claimsKept = async () => {
    const text = 'select count(*)::int as kept from records.idempotency_claims';
    return (await postgres.database.query<{ kept: number }>(text))[0]?.kept;
  };

  it('gives its claim back in both layers, so that storage grows only with references', async () => {
    const streams = new Streams();
    await idempotency.once(callOf(newKey(), 'l1'), streams.effect('l1'));
    const before = await claimsKept();
    const keys = Array.from({ length: 20 }, newKey);
    await Promise.all(keys.map((key) => idempotency.once(callOf(key, 'l1'), streams.effect('l1'))));
    expect(await claimsKept()).toBe(before);
    // Both layers are free: another call may use each of the keys.
    for (const [n, key] of keys.entries())
      expect(await idempotency.once(callOf(key, `l2-${n}`), streams.effect(`l2-${n}`))).toEqual(
        ok({ value: 'pending', replayed: false }),
      );
    expect(streams.runs).toHaveLength(21);
  });

  it('keeps the claim of the call that did create it', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await idempotency.once(callOf(key, 'm1'), streams.effect('m1'));
    await idempotency.once(callOf(newKey(), 'm1'), streams.effect('m1'));
    const other = await idempotency.once(callOf(key, 'm2'), streams.effect('m2'));
    expect(other).toEqual({ ok: false, refusal: 'idempotency_key_reused' });
  });

  it('runs once if repeats race over flushed layers while claims are given back', async () => {
    const streams = new Streams();
    await idempotency.once(callOf(newKey(), 'n1'), streams.effect('n1'));
    const flushed = await Promise.all([freshRedis(), freshRedis(), freshRedis()]);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        over(flushed[n % 3] as RedisStore).once(callOf(key, 'n1'), streams.effect('n1')),
      ),
    );
    await Promise.all(flushed.map((store) => store.close()));
    expect(answers.every((answer) => answer.ok)).toBe(true);
    expect(streams.runs).toEqual(['n1']);
  });
});

describe('a call that is rejected before any of it begins', () => {
  const full = new Streams(() => Promise.reject(new Overloaded('event store', 'full')));

  it('leaves neither its claim nor its bytes, however often it is repeated', async () => {
    const before = await kept();
    const [key, streams] = [newKey(), new Streams()];
    for (let time = 0; time < 3; time += 1)
      await expect(idempotency.once(callOf(key, 'o1'), full.effect('o1'))).rejects.toThrow(
        Overloaded,
      );
    expect(await kept()).toEqual(before);
    expect(await idempotency.once(callOf(key, 'o2'), streams.effect('o2'))).toEqual(
      ok({ value: 'pending', replayed: false }),
    );
  });

  it('leaves a claim that cannot be given back to the next repeat, like a call that broke off', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const claims = new IdempotencyClaims(postgres.database);
    const away = new DependencyUnavailable('postgres', 'away');
    Object.assign(claims, { giveBack: () => Promise.reject(away) });
    const without = new Idempotency(secret, new KeyClaims(redis), claims);
    await expect(without.once(callOf(key, 'p1'), full.effect('p1'))).rejects.toThrow(Overloaded);
    expect(await without.once(callOf(key, 'p1'), streams.effect('p1'))).toEqual(
      ok({ value: 'pending', replayed: false }),
    );
  });

  it('leaves a claim that it took over to the next repeat, and no bytes of its own', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const dies = new Streams(() => Promise.reject(new Error('died')));
    await expect(idempotency.once(callOf(key, 'q1'), dies.effect('q1'))).rejects.toThrow('died');
    const before = await kept();
    await expect(idempotency.once(callOf(key, 'q1'), full.effect('q1'))).rejects.toThrow(
      Overloaded,
    );
    expect(await kept()).toEqual(before);
    const again = await idempotency.once(callOf(key, 'q1'), streams.effect('q1'));
    expect(again).toEqual(ok({ value: 'pending', replayed: false }));
  });
});

describe('when Redis was flushed', () => {
  it('the records answer the same', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await idempotency.once(callOf(key, 'f1'), streams.effect('f1'));
    const flushed = await freshRedis();
    try {
      const again = await over(flushed).once(callOf(key, 'f1'), streams.effect('f1'));
      const other = await over(flushed).once(callOf(key, 'f2'), streams.effect('f2'));
      expect(again).toEqual(ok({ value: 'pending', replayed: true }));
      expect(other).toEqual({ ok: false, refusal: 'idempotency_key_reused' });
    } finally {
      await flushed.close();
    }
    expect(streams.runs).toEqual(['f1']);
  });

  describe('a misuse of a key', () => {
    class Died extends Error {}
    const reused = { ok: false, refusal: 'idempotency_key_reused' };
    const dies = new Streams(() => Promise.reject(new Died()));

    it('is refused as one each time, and leaves the rightful repeat a replay', async () => {
      const [key, streams] = [newKey(), new Streams()];
      await idempotency.once(callOf(key, 'r1'), streams.effect('r1'));
      const flushed = await freshRedis();
      try {
        for (let time = 0; time < 2; time += 1)
          expect(await over(flushed).once(callOf(key, 'r2'), streams.effect('r2'))).toEqual(reused);
        const rightful = await over(flushed).once(callOf(key, 'r1'), streams.effect('r1'));
        expect(rightful).toEqual(ok({ value: 'pending', replayed: true }));
      } finally {
        await flushed.close();
      }
      expect(streams.runs).toEqual(['r1']);
    });

    it('leaves the key to its rightful repeat if the first call broke off before its intent', async () => {
      const [key, streams] = [newKey(), new Streams()];
      await expect(idempotency.once(callOf(key, 's1'), dies.effect('s1'))).rejects.toThrow(Died);
      const flushed = await freshRedis();
      const rightful = () => over(flushed).once(callOf(key, 's1'), streams.effect('s1'));
      try {
        for (let time = 0; time < 2; time += 1)
          expect(await over(flushed).once(callOf(key, 's2'), streams.effect('s2'))).toEqual(reused);
        expect(await rightful()).toEqual(ok({ value: 'pending', replayed: false }));
        expect(await rightful()).toEqual(ok({ value: 'pending', replayed: true }));
      } finally {
        await flushed.close();
      }
      expect(streams.runs).toEqual(['s1']);
    });

    it('is refused as one even if Redis could not give the wrong claim back', async () => {
      const [key, streams] = [newKey(), new Streams()];
      await idempotency.once(callOf(key, 't1'), streams.effect('t1'));
      const flushed = await freshRedis();
      const fastClaims = new KeyClaims(flushed);
      const away = new DependencyUnavailable('redis', 'away');
      Object.assign(fastClaims, { giveBack: () => Promise.reject(away) });
      const claims = new IdempotencyClaims(postgres.database);
      const halfway = new Idempotency(secret, fastClaims, claims);
      try {
        for (let time = 0; time < 2; time += 1)
          expect(await halfway.once(callOf(key, 't2'), streams.effect('t2'))).toEqual(reused);
      } finally {
        await flushed.close();
      }
    });
  });

  it('racing repeats still run once', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const flushed = await Promise.all([freshRedis(), freshRedis(), freshRedis()]);
    const answers = await Promise.all(
      flushed.map((store) => over(store).once(callOf(key, 'g1'), streams.effect('g1'))),
    );
    await Promise.all(flushed.map((store) => store.close()));
    expect(answers.some((answer) => answer.ok)).toBe(true);
    expect(streams.runs).toEqual(['g1']);
  });
});

describe('a claim whose owner died', () => {
  class Died extends Error {}
  const dies = new Streams(() => Promise.reject(new Died()));

  /** Leaves the state of a process that was killed: a claim in both layers and nothing else. */
  async function claimAndDie(key: string, reference: string): Promise<void> {
    await new Promise<void>((begins) => {
      const never = new Streams(() => {
        begins();
        return new Promise(() => undefined);
      });
      void idempotency.once(callOf(key, reference), never.effect(reference));
    });
  }

  it('stays in progress for a minute before its intent, and then the same call takes it over', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await claimAndDie(key, 'h1');
    await ageClaims(30_000);
    const early = await idempotency.once(callOf(key, 'h1'), streams.effect('h1'));
    expect(early).toEqual({ ok: false, refusal: 'idempotency_in_progress' });
    await ageClaims(30_000);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => idempotency.once(callOf(key, 'h1'), streams.effect('h1'))),
    );
    expect(answers.filter((answer) => answer.ok).length).toBeGreaterThanOrEqual(1);
    expect(streams.runs).toEqual(['h1']);
  });

  it('is taken over at once if its call broke off in an error', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await expect(idempotency.once(callOf(key, 'k1'), dies.effect('k1'))).rejects.toThrow(Died);
    const again = await idempotency.once(callOf(key, 'k1'), streams.effect('k1'));
    expect(again).toEqual(ok({ value: 'pending', replayed: false }));
    const other = await idempotency.once(callOf(key, 'k2'), streams.effect('k2'));
    expect(other).toEqual({ ok: false, refusal: 'idempotency_key_reused' });
  });

  it('is never taken over by another call', async () => {
    const [key, streams] = [newKey(), new Streams()];
    await expect(idempotency.once(callOf(key, 'i1'), dies.effect('i1'))).rejects.toThrow(Died);
    await ageClaims(3_600_000);
    const other = await idempotency.once(callOf(key, 'i2'), streams.effect('i2'));
    expect(other).toEqual({ ok: false, refusal: 'idempotency_key_reused' });
  });

  it('is taken over at once if it is in Redis but not in the records', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const call = callOf(key, 'j1');
    const records = { claim: () => Promise.reject(new Died()) } as unknown as IdempotencyClaims;
    const halfway = new Idempotency(secret, new KeyClaims(redis), records);
    await expect(halfway.once(call, dies.effect('j1'))).rejects.toThrow(Died);
    const again = await idempotency.once(call, streams.effect('j1'));
    expect(again).toEqual(ok({ value: 'pending', replayed: false }));
    expect(streams.runs).toEqual(['j1']);
  });
});

describe('the key of a decision that may stop counting', () => {
  /** A stand-in for a payout that one holder approves, again after each expiry. */
  class Approvals {
    /** The keys of all approvals, the oldest first. */
    readonly keys: string[] = [];
    expiries = 0;
    isApproved = false;

    private get value(): string {
      return this.isApproved ? 'pending' : 'pending_approval';
    }

    effect(key: string, breaksOff?: 'before' | 'after') {
      let isRecorded = false;
      return {
        round: { number: this.expiries, value: this.value },
        current: () => Promise.resolve(this.isApproved ? this.value : undefined),
        recordedNothing: () => !isRecorded,
        run: (): Promise<Result<string, never>> => {
          if (breaksOff === 'before') return Promise.reject(new Error('broke off'));
          if (!this.isApproved) {
            this.keys.push(key);
            [this.isApproved, isRecorded] = [true, true];
          }
          if (breaksOff === 'after') return Promise.reject(new Error('broke off'));
          return Promise.resolve(ok(this.value));
        },
      };
    }

    expire(): void {
      if (!this.isApproved) return;
      this.isApproved = false;
      this.expiries += 1;
    }
  }

  const inOneRound = () => callOf(newKey(), 'r1', { route: 'POST /approve' });
  const onceOf = (
    { call, approvals }: { readonly call: KeyedCall; readonly approvals: Approvals },
    { of = idempotency, breaksOff }: { of?: Idempotency; breaksOff?: 'before' | 'after' } = {},
  ) => {
    const effect = approvals.effect(String(call.caller.idempotencyKey), breaksOff);
    return of.once({ ...call, message: sealedMessage() }, effect);
  };

  it('answers as a replay in each later round, in which Redis may have forgotten it', async () => {
    const told = { call: inOneRound(), approvals: new Approvals() };
    await onceOf(told);
    told.approvals.expire();
    await ageClaims(120_000);
    const flushed = await freshRedis();
    try {
      // The first repeat leaves its own claim in the Redis that was flushed.
      for (const layers of [idempotency, over(flushed), over(flushed)])
        expect(await onceOf(told, { of: layers })).toEqual(
          ok({ value: 'pending_approval', replayed: true }),
        );
    } finally {
      await flushed.close();
    }
    expect(told.approvals.keys).toHaveLength(1);
  });

  it('may be repeated in its own round if its call broke off before it decided', async () => {
    const approvals = new Approvals();
    await onceOf({ call: inOneRound(), approvals });
    approvals.expire();
    const second = { call: inOneRound(), approvals };
    await expect(onceOf(second, { breaksOff: 'before' })).rejects.toThrow('broke off');
    expect(await onceOf(second)).toEqual(ok({ value: 'pending', replayed: false }));
    expect(approvals.keys).toHaveLength(2);
  });

  it('decides at most once, regardless of repeats, failures, expiries and flushes', async () => {
    const action = fc.oneof(
      { weight: 3, arbitrary: fc.record({ key: fc.nat(2), kind: fc.constant('call' as const) }) },
      fc.record({ key: fc.nat(2), kind: fc.constantFrom('before' as const, 'after' as const) }),
      { weight: 2, arbitrary: fc.constant({ kind: 'expire' as const }) },
      fc.constant({ kind: 'flush' as const }),
    );
    const opened: RedisStore[] = [];
    const history = fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
      const approvals = new Approvals();
      const calls = [inOneRound(), inOneRound(), inOneRound()];
      let of = idempotency;
      for (const each of actions) {
        if (each.kind === 'expire') approvals.expire();
        else if (each.kind === 'flush') {
          const flushed = await freshRedis();
          opened.push(flushed);
          of = over(flushed);
        } else {
          const told = { call: calls[each.key] as KeyedCall, approvals };
          if (each.kind === 'call') await onceOf(told, { of });
          else await onceOf(told, { of, breaksOff: each.kind }).catch(() => undefined);
        }
      }
      expect(new Set(approvals.keys).size).toBe(approvals.keys.length);
      approvals.expire();
      const last = { call: inOneRound(), approvals };
      expect(await onceOf(last, { of })).toEqual(ok({ value: 'pending', replayed: false }));
    });
    await fc.assert(history, { numRuns: 40 });
    await Promise.all(opened.map((store) => store.close()));
  });
});

describe('a call that is refused after it took a claim over', () => {
  class Died extends Error {}
  const dies = new Streams(() => Promise.reject(new Died()));
  const refused = refuse('rail_rejected' as const);
  const refusing = {
    current: () => Promise.resolve(undefined),
    run: () => Promise.resolve(refused),
    recordedNothing: (outcome: Result<string, 'rail_rejected'>) => !outcome.ok,
  };
  const keptMessages = async (calls: readonly KeyedCall[]) => {
    const text = 'select id from records.sealed_messages where id = any($1::uuid[])';
    const ids = calls.map(({ message }) => message.id);
    return (await postgres.database.query<{ id: string }>(text, [ids])).map(({ id }) => id);
  };

  it('is checked again at once, however often, and leaves no bytes of its own', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const first = callOf(key, 'u1');
    await expect(idempotency.once(first, dies.effect('u1'))).rejects.toThrow(Died);
    const before = await kept();
    const repeats = Array.from({ length: 3 }, () => callOf(key, 'u1'));
    for (const repeat of repeats) expect(await idempotency.once(repeat, refusing)).toEqual(refused);
    expect(await kept()).toEqual(before);
    // An event may name the bytes of the first call, so they stay.
    expect(await keptMessages([first, ...repeats])).toEqual([first.message.id]);
    const other = await idempotency.once(callOf(key, 'u2'), streams.effect('u2'));
    expect(other).toEqual({ ok: false, refusal: 'idempotency_key_reused' });
    const again = await idempotency.once(callOf(key, 'u1'), streams.effect('u1'));
    expect(again).toEqual(ok({ value: 'pending', replayed: false }));
  });

  it('gives the claim back if the records had none, so that the key is free', async () => {
    const [key, streams] = [newKey(), new Streams()];
    const records = { claim: () => Promise.reject(new Died()) } as unknown as IdempotencyClaims;
    const halfway = new Idempotency(secret, new KeyClaims(redis), records);
    await expect(halfway.once(callOf(key, 'v1'), dies.effect('v1'))).rejects.toThrow(Died);
    const before = await kept();
    expect(await idempotency.once(callOf(key, 'v1'), refusing)).toEqual(refused);
    expect(await kept()).toEqual(before);
    const other = await idempotency.once(callOf(key, 'v2'), streams.effect('v2'));
    expect(other).toEqual(ok({ value: 'pending', replayed: false }));
  });
});

describe('the secret of the digests', () => {
  it('outlives a rotation of MASTER_KEY and a restart', async () => {
    const rotated = Keyring.from([{ id: 'new', bytes: randomBytes(32) }, masterKey]);
    const reopened = await openSecret(rotated);
    expect(reopened.digest('key', 'a')).toEqual(secret.digest('key', 'a'));
  });

  it('distinguishes the boundaries between its parts', () => {
    expect(secret.digest('a', 'bc')).not.toEqual(secret.digest('ab', 'c'));
  });
});
