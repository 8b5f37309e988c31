import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type EventMetadata, fold } from '#domain/event-sourcing';
import { givenFor, stateOf } from '#testing';
import { type HeldRole, merchantRoles, operatorRoles } from './permissions.js';
import { type RoleEvent, type RoleGranted, type RoleTerms } from './role.events.js';
import { heldTerms, needsTwoAdmins, roleDecider, roleFrom, type Roles, rolesOf } from './roles.js';
import { decideFirstAdmins, decideGrant, decideRevoke, type Granters } from './roles.decide.js';

const id = (who: string): string => `https://id.example#${who}`;
const [asha, joseph, wanjiru, odhiambo] = ['asha', 'joseph', 'wanjiru', 'odhiambo'].map(id) as [
  string,
  string,
  string,
  string,
];
const granted = (person: string, held: HeldRole, more: object = {}): RoleGranted => ({
  type: 'RoleGranted',
  data: { person, name: 'N', ...held, proposedBy: 'root', ...more },
});
const admins = [granted(asha, { role: 'admin' }), granted(joseph, { role: 'admin' })];
const terms = (person: string, held: HeldRole): RoleTerms => ({ person, name: 'N', ...held });

describe('the first two admins', () => {
  const named = (person: string) => ({ person, name: 'N' });
  const given = givenFor(roleDecider, (pair: readonly [string, string], state: Roles) =>
    decideFirstAdmins([named(pair[0]), named(pair[1])], 'root', state),
  );

  it('are granted together', () => {
    given().when([asha, joseph]).then(admins);
  });

  it('are two people', () => {
    given().when([asha, asha]).then('same_person');
  });

  it('are granted only once, even if their roles were revoked since', () => {
    given(...admins)
      .when([wanjiru, odhiambo])
      .then('admins_exist');
    const revoked: RoleEvent[] = [asha, joseph].map((person) => ({
      type: 'RoleRevoked',
      data: { ...terms(person, { role: 'admin' }), proposedBy: 'root' },
    }));
    given(...admins, ...revoked)
      .when([wanjiru, odhiambo])
      .then('admins_exist');
  });
});

describe('a role', () => {
  const given = givenFor(
    roleDecider,
    (wanted: { readonly of: RoleTerms; readonly by: Granters }, state: Roles) =>
      decideGrant(wanted.of, wanted.by, state),
  );
  const viewer = terms(wanjiru, { role: 'viewer' });
  const finance = terms(wanjiru, { role: 'finance' });

  it('takes one admin if it moves no money', () => {
    given(...admins)
      .when({ of: viewer, by: { proposedBy: asha } })
      .then([granted(wanjiru, { role: 'viewer' }, { proposedBy: asha })]);
  });

  it.each<HeldRole>([
    { role: 'finance' },
    { role: 'admin' },
    { role: 'finance', merchantId: 'm1' },
    { role: 'owner', merchantId: 'm1' },
  ])('takes two different admins if it moves money: %j', (held) => {
    const of = terms(wanjiru, held);
    const both = { proposedBy: asha, confirmedBy: joseph };
    given(...admins)
      .when({ of, by: { proposedBy: asha } })
      .then('second_admin_needed');
    given(...admins)
      .when({ of, by: { proposedBy: asha, confirmedBy: asha } })
      .then('same_admin');
    given(...admins)
      .when({ of, by: both })
      .then([granted(wanjiru, held, both)]);
  });

  it('is granted by admins alone, both of them so when it is granted', () => {
    given(...admins)
      .when({ of: viewer, by: { proposedBy: odhiambo } })
      .then('not_admin');
    given(...admins)
      .when({ of: finance, by: { proposedBy: asha, confirmedBy: odhiambo } })
      .then('not_admin');
    given(...admins)
      .when({ of: finance, by: { proposedBy: odhiambo, confirmedBy: asha } })
      .then('proposer_not_admin');
  });

  it('is not granted by people of two issuers, who may be the same person', () => {
    const elsewhere = 'https://new.example#asha';
    given(...admins, granted(elsewhere, { role: 'admin' }))
      .when({ of: finance, by: { proposedBy: asha, confirmedBy: elsewhere } })
      .then('proposer_not_admin');
  });

  it('cannot be decided by the person whom it is about', () => {
    given(...admins)
      .when({ of: terms(asha, { role: 'finance' }), by: { proposedBy: asha, confirmedBy: joseph } })
      .then('own_role');
    given(...admins)
      .when({ of: terms(asha, { role: 'finance' }), by: { proposedBy: joseph, confirmedBy: asha } })
      .then('own_role');
  });

  it('is not granted again to its holder, but is granted at another merchant', () => {
    const first = granted(wanjiru, { role: 'developer', merchantId: 'm1' });
    given(...admins, first)
      .when({
        of: terms(wanjiru, { role: 'developer', merchantId: 'm1' }),
        by: { proposedBy: asha },
      })
      .then([]);
    const state = stateOf(roleDecider, [...admins, first]);
    const other = terms(wanjiru, { role: 'developer', merchantId: 'm2' });
    expect(decideGrant(other, { proposedBy: asha }, state)).toMatchObject({
      value: [{ data: other }],
    });
  });

  it('has a name that fits the platform or the merchant it is for', () => {
    expect(roleFrom('finance', undefined)).toEqual({ role: 'finance' });
    expect(roleFrom('finance', 'm1')).toEqual({ role: 'finance', merchantId: 'm1' });
    expect(roleFrom('admin', 'm1')).toBeUndefined();
    expect(roleFrom('owner', undefined)).toBeUndefined();
  });
});

describe('a role is revoked', () => {
  const given = givenFor(
    roleDecider,
    (of: { readonly person: string; readonly held: HeldRole; readonly by: string }, state: Roles) =>
      decideRevoke(of, of.by, state),
  );
  const third = granted(wanjiru, { role: 'admin' });

  it('by one admin', () => {
    given(...admins, third)
      .when({ person: asha, held: { role: 'admin' }, by: wanjiru })
      .then([
        { type: 'RoleRevoked', data: { ...terms(asha, { role: 'admin' }), proposedBy: wanjiru } },
      ]);
  });

  it('only by an admin other than its holder, and only if it is held', () => {
    const held = { role: 'admin' } as const;
    given(...admins, third)
      .when({ person: asha, held, by: odhiambo })
      .then('not_admin');
    given(...admins, third)
      .when({ person: asha, held, by: asha })
      .then('own_role');
    given(...admins, third)
      .when({ person: asha, held: { role: 'viewer' }, by: joseph })
      .then('not_held');
  });

  it('unless fewer than two admins would remain', () => {
    given(...admins)
      .when({ person: asha, held: { role: 'admin' }, by: joseph })
      .then('last_admins');
  });
});

describe('any sequence of role requests', () => {
  const people = [asha, joseph, wanjiru, odhiambo, id('njeri')];
  const person = fc.constantFrom(...people);
  const held = fc.oneof(
    fc.constantFrom(...operatorRoles).map((role) => ({ role })),
    fc.record({ role: fc.constantFrom(...merchantRoles), merchantId: fc.constantFrom('m1', 'm2') }),
  );
  const asked = fc.oneof(
    fc.record({ what: fc.constant('first' as const), one: person, other: person }),
    fc.record({
      what: fc.constant('grant' as const),
      person,
      held,
      proposedBy: person,
      confirmedBy: fc.option(person, { nil: undefined }),
    }),
    fc.record({ what: fc.constant('revoke' as const), person, held, by: person }),
  );
  type Asked = typeof asked extends fc.Arbitrary<infer One> ? One : never;

  const decide = (one: Asked, state: Roles) => {
    switch (one.what) {
      case 'first': {
        const pair = [one.one, one.other].map((who) => ({ person: who, name: 'N' }));
        return decideFirstAdmins(pair as never, 'root', state);
      }
      case 'grant': {
        const { proposedBy, confirmedBy } = one;
        const by = { proposedBy, ...(confirmedBy === undefined ? {} : { confirmedBy }) };
        return decideGrant(terms(one.person, one.held), by, state);
      }
      case 'revoke':
        return decideRevoke(one, one.by, state);
    }
  };
  const metadata: EventMetadata = { v: 1, correlationId: 'r', actor: { kind: 'operator', id: '' } };
  /** Returns the resulting history, and the admins before each event, computed without the fold. */
  const play = (all: readonly Asked[]) => {
    const history: { readonly event: RoleEvent; readonly adminsBefore: ReadonlySet<string> }[] = [];
    const adminsNow = new Set<string>();
    for (const one of all) {
      const state = stateOf(
        roleDecider,
        history.map(({ event }) => event),
      );
      const decision = decide(one, state);
      if (!decision.ok) continue;
      const adminsBefore = new Set(adminsNow);
      for (const event of decision.value) {
        history.push({ event, adminsBefore });
        if (!('role' in event.data) || event.data.role !== 'admin') continue;
        if (event.type === 'RoleGranted') adminsNow.add(event.data.person);
        else adminsNow.delete(event.data.person);
      }
    }
    return { history, adminsNow };
  };
  const beginning = fc.constant<Asked>({ what: 'first', one: asha, other: joseph });
  const histories = fc
    .tuple(beginning, fc.array(asked, { maxLength: 60 }))
    .map(([first, rest]) => [first, ...rest]);

  it('each role that moves money has two admins behind it, and neither is its recipient', () => {
    fc.assert(
      fc.property(histories, (all) => {
        const { history, adminsNow } = play(all);
        expect(adminsNow.size).toBeGreaterThanOrEqual(2);
        for (const { event, adminsBefore } of history.slice(2)) {
          const { person: whose, proposedBy } = event.data;
          expect(adminsBefore).toContain(proposedBy);
          expect(proposedBy).not.toBe(whose);
          if (event.type !== 'RoleGranted' || !needsTwoAdmins(event.data)) continue;
          const { confirmedBy } = event.data;
          expect(adminsBefore).toContain(confirmedBy);
          expect([whose, proposedBy]).not.toContain(confirmedBy);
        }
      }),
    );
  });

  it('the fold is the same in one piece and in two', () => {
    fc.assert(
      fc.property(histories, fc.nat(80), (all, cut) => {
        const { history } = play(all);
        const events = history.map(({ event }) => ({ ...event, metadata }));
        const whole = fold(roleDecider, events);
        const before = fold(roleDecider, events.slice(0, cut));
        expect(fold(roleDecider, events.slice(cut), before)).toEqual(whole);
      }),
    );
  });

  it('the roles that a person has are those granted last and not revoked since', () => {
    fc.assert(
      fc.property(histories, person, (all, who) => {
        const events = play(all).history.map(({ event }) => event);
        const state = stateOf(roleDecider, events);
        const key = ({ role, merchantId }: HeldRole): string => `${role} ${merchantId ?? ''}`;
        const last = new Map(
          events
            .filter((one) => one.type === 'RoleGranted' || one.type === 'RoleRevoked')
            .filter(({ data }) => data.person === who)
            .map((one) => [key(one.data), one.type]),
        );
        const expected = [...last].filter(([, type]) => type === 'RoleGranted').map(([one]) => one);
        expect(rolesOf(state, who).map(key).sort()).toEqual(expected.sort());
        expect(heldTerms(state).filter(({ person: whose }) => whose === who)).toHaveLength(
          expected.length,
        );
      }),
    );
  });
});
