import { type Queryable } from '#infra/postgres';
import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { type HeldRole, type Person, RoleDirectory } from '#domain/people';
import { PersonNames } from '#records/people';
import { Colleagues, personName } from './colleagues.js';

const held: Readonly<Record<string, readonly HeldRole[]>> = {
  asha: [{ role: 'finance', merchantId: 'm-1' }],
  other: [{ role: 'owner', merchantId: 'm-2' }],
  operator: [{ role: 'finance' }],
};

class Roles extends RoleDirectory {
  override rolesOf({ subject }: Person) {
    return Promise.resolve(held[subject] ?? []);
  }
}

class Names extends PersonNames {
  isAway = false;
  override of(people: readonly string[]) {
    if (this.isAway) return Promise.reject(new DependencyUnavailable('postgres', 'away'));
    return Promise.resolve(new Map(people.map((id) => [id, `called ${id}`])));
  }
}

const idOf = (subject: string): string => `https://id.example#${subject}`;

it('a person without a name is shown by the issuer’s subject, and a holder by its own name', () => {
  const names = new Map([[idOf('asha'), 'Asha Ali']]);
  expect([idOf('asha'), idOf('gone'), 'till #2'].map((id) => personName(id, names))).toEqual([
    'Asha Ali',
    'gone',
    'till #2',
  ]);
});

describe('the people of a merchant', () => {
  const names = new Names({} as Queryable);
  const colleagues = new Colleagues(new Roles(), names);

  it('are named, but not the platform’s people or those of another merchant', async () => {
    const ids = ['asha', 'asha', 'other', 'operator', 'gone'].map(idOf);
    expect(await colleagues.called('m-1', [...ids, 'till'])).toEqual(
      new Map([[idOf('asha'), `called ${idOf('asha')}`]]),
    );
  });

  it('have no name while names are unavailable, but their pages are still shown', async () => {
    names.isAway = true;
    expect(await colleagues.called('m-1', [idOf('asha')])).toEqual(new Map());
  });
});
