import { expect, it } from '@jest/globals';
import { type ExecutionContext } from '@nestjs/common';
import { type ModuleRef } from '@nestjs/core';
import { Metrics } from '#infra/runtime';
import { type Description } from '#records/people';
import { RawBody } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { type StepUp } from '../session/step-up.js';
import { Presence } from './presence.js';
import { Refusals } from './refusals.js';
import { type Viewer } from './viewer.js';

/** Carries out a held form whose page showed one description, though the server now has another. */
function carryOut(shown: Description, now: Description): Promise<void> {
  const stepUp = { carryOut: () => Promise.resolve(shown) } as unknown as StepUp;
  const presence = new Presence(
    stepUp,
    { get: () => undefined } as unknown as ModuleRef,
    new Refusals(new Metrics()),
  );
  const body = new RawBody(Buffer.from('held=h'), 'application/x-www-form-urlencoded');
  const request = { raw: { url: '/portal/x' }, body } as unknown as FastifyRequest;
  const context = {
    switchToHttp: () => ({ getRequest: () => request }),
    getClass: () => Presence,
  } as unknown as ExecutionContext;
  const viewer = { sessionHash: Buffer.alloc(32) } as unknown as Viewer;
  return presence.assert(context, viewer, { action: 'payouts.approve', describe: () => now });
}

it('a confirmation is bound to what its page showed, but not to facts that change by themselves (POR-104)', async () => {
  const shown: Description = {
    title: 'Approve',
    rows: [['Fee', 'KES 1.00']],
    unbound: [['Available after', 'KES 75.00']],
  };
  await carryOut(shown, shown);
  await carryOut(shown, { ...shown, unbound: [['Available after', 'KES 9.00']] });
  const other: Description = { ...shown, rows: [['Fee', 'KES 2.00']] };
  await expect(carryOut(shown, other)).rejects.toMatchObject({ error: { code: 'changed' } });
});
