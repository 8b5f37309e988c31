import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { eventually } from '#testing';
import { AbandonedClaims } from './abandoned-claims.js';

const claim = { keyHash: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32, 2) };
const away = new DependencyUnavailable('postgres', 'no answer in time');

/** A Postgres that gives these answers, one for each statement, and repeats the last one. */
class ScriptedPostgres {
  asked = 0;
  constructor(private readonly answers: readonly ('done' | 'not there' | Error)[]) {}
  abandon(): Promise<boolean> {
    const answer = this.answers[Math.min(this.asked, this.answers.length - 1)];
    this.asked += 1;
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(answer === 'done');
  }
}

describe('the claim of a call that broke off', () => {
  it('is given back before the caller is answered', async () => {
    const postgres = new ScriptedPostgres(['done']);
    await new AbandonedClaims(postgres, 60_000).add(claim);
    expect(postgres.asked).toBe(1);
  });

  it('is given back once Postgres is back, and no caller waits until then', async () => {
    const postgres = new ScriptedPostgres([away, away, away, 'done']);
    const begun = performance.now();
    await new AbandonedClaims(postgres, 60_000).add(claim);
    expect(performance.now() - begun).toBeLessThan(60_000);
    await eventually(
      () => Promise.resolve(postgres.asked),
      (asked) => asked === 4,
    );
  });

  it('is looked up once more if its insert may arrive late', async () => {
    const postgres = new ScriptedPostgres(['not there', 'done']);
    await new AbandonedClaims(postgres, 60_000).add(claim);
    expect(postgres.asked).toBe(1);
    await eventually(
      () => Promise.resolve(postgres.asked),
      (asked) => asked === 2,
    );
  });

  it('is left to its age if it cannot be given back', async () => {
    const defect = new ScriptedPostgres([new TypeError('a defect')]);
    await new AbandonedClaims(defect, 60_000).add(claim);
    expect(defect.asked).toBe(1);
    const postgres = new ScriptedPostgres([away]);
    await new AbandonedClaims(postgres, 0).add(claim);
    expect(postgres.asked).toBe(0);
  });
});
