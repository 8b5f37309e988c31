import { type RoleEvent, roleStream } from '#domain/people';
import { HandMadeLog, ReadOnlyLog } from '#testing';
import { expect, it } from '@jest/globals';
import { isFault, platformStanding, type PlatformSources } from './platform.js';

const [person, name, proposedBy] = ['https://id.example#njeri', 'N', 'https://id.example#asha'];
const announced: RoleEvent = { type: 'BreakGlassAnnounced', data: { person, name, proposedBy } };
const stopped: RoleEvent = { type: 'BreakGlassStopped', data: { person, name, proposedBy } };

/** The admins' part of a platform whose log has these events of one instant, while Postgres is away. */
async function partAfter(...events: readonly RoleEvent[]) {
  const log = new HandMadeLog(Date.parse('2026-11-03T01:00:00Z'));
  log.append<RoleEvent>(roleStream, ...events);
  const database = { query: () => Promise.reject(new Error('away')) };
  const servers = { store: new ReadOnlyLog(log), database };
  const sources = { servers, given: {} } as unknown as PlatformSources;
  const part = (await platformStanding(sources)).find(({ what }) => what === 'admins');
  if (!part || !('facts' in part)) throw new TypeError('the log answers');
  return { todo: part.todo, isFault: isFault(part), facts: part.facts };
}

it('an announced admin is a fault until the announcement is over, whatever else is away', async () => {
  const well = { todo: undefined, isFault: false, facts: { takesEffectAt: undefined } };
  expect(await partAfter()).toEqual(well);
  expect(await partAfter(announced)).toEqual({
    todo: 'admin_announced',
    isFault: true,
    facts: { takesEffectAt: '2026-11-04T01:00:00.000Z' },
  });
  expect(await partAfter(announced, stopped)).toEqual(well);
});
