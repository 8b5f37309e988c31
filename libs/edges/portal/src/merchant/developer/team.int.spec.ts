import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { DeveloperPortal } from '../../../test/developer-portal.js';
import { english } from './developer-texts.en.js';

const portal = new DeveloperPortal();
beforeAll(() => portal.start());
afterAll(() => portal.stop());

it('the team is the people of this merchant, for its owner alone', async () => {
  const grantedAt = instantFromMs(Date.UTC(2024, 0, 15));
  const of = { grantedAt, isSuspended: false, proposedBy: 'spec', role: 'finance' } as const;
  const { merchantId } = portal;
  portal.held = [
    { ...of, person: 'https://id.example#1', name: 'Asha Ali', merchantId },
    { ...of, person: 'https://id.example#2', name: 'Juma Other', merchantId: 'another' },
    { ...of, person: 'https://id.example#3', name: 'Grace Admin', role: 'admin' },
  ];
  const owner = await portal.signedIn('owner', 'owner');
  const { text } = await owner.get(portal.page('team'));
  expect(text).toContain('Asha Ali');
  expect(text).toContain(english.team.decided);
  for (const other of ['Juma', 'Grace']) expect(text).not.toContain(other);
  const developer = await portal.signedIn('dee', 'developer', 'finance');
  expect((await developer.get(portal.page('team'))).status).toBe(403);
});
