import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type PostBankSettlement } from '#domain/settlements';
import { DependencyUnavailable, instantFromMs, ok, refuse } from '#domain/kernel';
import { UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type CallbackKeys } from '../callback/callback-keys.js';
import { type DueDay } from './taken-days.js';
import { TakenSweeps } from './taken-sweeps.js';

const day = { channel: 'mpesa', mode: 'demo', isForgottenSoon: false } as DueDay;
const paidAt = instantFromMs(Date.UTC(2026, 10, 20));
const sweep = { receipt: 'NLK9SW83UX', amountMinor: 5n, currency: 'KES', paidAt };

/** Sweeps over a bus that answers so. */
function sweepsOver(answer: () => Promise<unknown>) {
  const commands: PostBankSettlement[] = [];
  const bus = {
    execute: (command: PostBankSettlement) => {
      commands.push(command);
      return answer();
    },
  } as unknown as CommandBus;
  const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
  const keys = { keyring, ids: new UuidIds() } as unknown as CallbackKeys;
  return { sweeps: new TakenSweeps(bus, keys), commands };
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

describe('a sweep in the rail’s list', () => {
  it('is posted with its evidence, and without a time whose zone is not certain', async () => {
    const { sweeps, commands } = sweepsOver(() => Promise.resolve(ok(true)));
    expect(await sweeps.post(day, sweep)).toBe('swept');
    expect(await sweeps.post(day, { ...sweep, isZoneUncertain: true })).toBe('swept');
    const { isForgottenSoon: _isForgottenSoon, ...account } = day;
    const { paidAt: _paidAt, ...untimed } = { ...account, ...sweep };
    expect(commands.map((command) => command.sweep)).toEqual([{ ...untimed, paidAt }, untimed]);
    expect(commands.map(({ by }) => by)).toEqual(['list', 'list']);
    expect(commands[0]?.metadata).toMatchObject({ actor: { kind: 'rail', id: 'mpesa' } });
    expect(commands[0]?.metadata).toHaveProperty('commitment');
  });

  it.each([
    [ok(false), 'swept_before'],
    [refuse('receipt_taken'), 'sweep_receipt_taken'],
    [refuse('amount_differs'), 'sweep_amount_differs'],
  ])('with the answer %j is counted as %s', async (answer, outcome) => {
    const { sweeps } = sweepsOver(() => Promise.resolve(answer));
    expect(await sweeps.post(day, sweep)).toBe(outcome);
  });

  it('holds its day back if it cannot be posted, unless the rail soon forgets the day', async () => {
    const away = () => Promise.reject(new DependencyUnavailable('read model', 'it is behind'));
    const { sweeps } = sweepsOver(away);
    await expect(sweeps.post(day, sweep)).rejects.toThrow(DependencyUnavailable);
    expect(await sweeps.post({ ...day, isForgottenSoon: true }, sweep)).toBe('sweep_held_back');
  });
});
