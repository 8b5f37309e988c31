import { describe, expect, it } from '@jest/globals';
import { type DayHead, type ProvedPosting, type SealedHead } from '#domain/audit';
import { type Instant } from '#domain/kernel';
import { type RoleSince } from '#domain/people';
import { type Item } from '#views/cases';
import { type Viewer } from '../access/viewer.js';
import { evidenceForm, evidencePage } from './evidence-page.js';
import { type Look, lookOf } from './look.js';
import { fits, type PeopleEvent, peoplePage } from './people-page.js';
import { type OpenedMessage } from './ports.js';
import { proofPage } from './proof-page.js';
import { rolesPage } from './roles-page.js';
import { sealsPage } from './seals-page.js';

const issuer = 'https://id.example';
const viewer: Viewer = {
  person: { issuer, subject: 'wanjiru' },
  name: 'Wanjiru Kamau',
  roles: [{ role: 'auditor' }],
  language: 'en',
  formToken: 'token',
  sessionHash: Buffer.alloc(32),
  merchant: undefined,
};
const look: Look = lookOf(viewer, 'Africa/Nairobi');
const hostile = '<img src=x onerror=alert(1)>';

const headOf = (date: string): SealedHead => ({
  id: date,
  signature: 's',
  publicKey: 'k',
  head: {
    ...{ date, timezone: 'Africa/Nairobi', treeSize: '7', root: 'ab'.repeat(32) },
    ...{ historySize: '90', historyRoot: 'cd'.repeat(32), keyId: 'ef'.repeat(32) },
    ...{ previousTreeSize: '0', previousRoot: '' },
  } satisfies DayHead,
});

describe('the page of the seals', () => {
  it('shows the newest head in full, and the days before it, bounded', () => {
    const days = Array.from({ length: 60 }, (_, day) =>
      new Date(Date.UTC(2026, 8, 1 + day)).toISOString().slice(0, 10),
    );
    const { text } = sealsPage(days.map(headOf), undefined, look);
    expect(text).toContain('cd'.repeat(32));
    expect(text.match(/<th scope="row"/g)).toHaveLength(50);
    expect(text).toContain('/portal/audit?before=2026-09-11');
    const earlier = sealsPage(days.map(headOf), '2026-09-11', look).text;
    expect(earlier.match(/<th scope="row"/g)).toHaveLength(10);
    expect(earlier).not.toContain('?before=');
  });

  it('says what to do where no day is sealed', () => {
    expect(sealsPage([], undefined, look).text).toContain('npx pesapost audit seal');
  });
});

const item: Item = {
  type: 'collection',
  key: { mode: 'demo', merchantId: 'm1', reference: hostile },
};
const posting = (inclusion: ProvedPosting['inclusion']): ProvedPosting =>
  ({
    ...{ position: 1n, posting: { type: 'RailConfirmed' }, leafHash: '12'.repeat(32), inclusion },
    sealedBy: inclusion ? undefined : '2026-11-23T21:05:00.000Z',
  }) as unknown as ProvedPosting;

describe('the page of a proof', () => {
  it('gives the file, the check in the browser and the one without this site', () => {
    const inclusion = { index: 3, treeSize: 7, path: ['aa', 'bb'] };
    const proof = { postings: [posting(inclusion)], head: headOf('2026-11-22') };
    const { text } = proofPage(item, proof, look);
    expect(text).toContain('3 of 7');
    expect(text).toContain('<form id="check" hidden');
    expect(text).toMatch(/<script type="module" src="\/portal\/static\/proof-[0-9a-f]{12}\.js">/);
    expect(text).toContain('node verifier/verify.mjs');
    expect(text).not.toContain('<img');
  });

  it('says when a posting of today is sealed, and offers no check before', () => {
    const { text } = proofPage(item, { postings: [posting(undefined)], head: undefined }, look);
    expect(text).toContain('2026-11-24 00:05:00');
    expect(text).not.toContain('id="check"');
  });
});

describe('the page of roles', () => {
  it('tells who granted each, and why', () => {
    const role: RoleSince = {
      ...{ person: `${issuer}#faith`, name: hostile, role: 'finance' },
      ...{ proposedBy: `${issuer}#amina`, confirmedBy: `${issuer}#wanjiru`, reason: 'hired' },
      grantedAt: '2026-11-20T10:00:00.000Z' as Instant,
    };
    const { text } = rolesPage({ roles: [role], day: '2026-11-20', isWrong: false }, look);
    expect(text).toContain('amina');
    expect(text).toContain('<b>you</b>');
    expect(text).toContain('hired');
    expect(text).toContain('2026-11-20 13:00:00 EAT');
    expect(text).not.toContain('<img');
  });

  it('says what is wrong with a day', () => {
    const { text } = rolesPage({ roles: [], day: '2026-02-30', isWrong: true }, look);
    expect(text).toContain('aria-invalid="true"');
  });
});

const opened = {
  ...{ type: 'EvidenceOpened', recordedAt: '2026-11-20T10:00:00.000Z', position: 9n },
  data: { stream: 'collection-demo:m1:INV-1', messages: 3, digest: 'x' },
  metadata: { actor: { kind: 'operator', id: `${issuer}#amina` }, reason: hostile },
} as unknown as PeopleEvent;

describe('the page of who did what', () => {
  it('tells who, what, about which payment and why', () => {
    const filter = { person: '', day: '' };
    const { text } = peoplePage({ events: [opened], window: 500, ...filter }, look);
    expect(text).toContain('opened evidence');
    expect(text).toContain('/portal/items/demo/m1/collection/INV-1');
    expect(text).toContain('&lt;img');
    expect(text).not.toContain('<img');
  });

  it('finds a person by a part of the id', () => {
    expect(fits(opened, 'AMINA')).toBe(true);
    expect(fits(opened, 'joseph')).toBe(false);
  });
});

describe('the pages of evidence', () => {
  it('ask for a reason and show what is wrong, with what was typed', () => {
    const errors = [{ field: 'reason', text: 'Leave the phone number out' }];
    const form = { named: { reference: 'INV-1' }, reason: hostile, errors };
    const { text } = evidenceForm(form, look);
    expect(text).toContain('href="#reason"');
    expect(text).toContain('value="INV-1"');
    expect(text).not.toContain('<img');
  });

  it('show what was sent as text, marks that would turn it around written out', () => {
    const message: OpenedMessage = {
      message: {
        ...{ id: '1', kind: 'request', erasedAt: undefined },
        receivedAt: new Date('2026-11-20T10:00:00.000Z'),
      },
      contents: { state: 'opened', bytes: Buffer.from(`${hostile}\u202eabc\n`) },
      named: [
        {
          ...{ event: 'CollectionIntentRecorded', commitmentIs: 'held', digest: 'differs' },
          signature: 'invalid',
        },
      ],
    };
    const { text } = evidencePage([message], look);
    expect(text).toContain('\\u{202e}abc');
    expect(text).toContain('the bytes are NOT those of the event');
    expect(text).toContain('the signature does NOT verify');
    expect(text).not.toContain('<img');
  });
});
