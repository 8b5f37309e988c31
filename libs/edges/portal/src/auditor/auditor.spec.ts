import { describe, expect, it } from '@jest/globals';
import { type DayHead, type ProvedPosting, type SealedHead } from '#domain/audit';
import { type Instant } from '#domain/kernel';
import { type RoleSince } from '#domain/people';
import { type Act } from '#views/acts';
import { type Item } from '#desk/operators';
import { foreignMarkup, hostile } from '#testing';
import { type Viewer } from '../access/viewer.js';
import { operatorTextsOf } from '../operator/texts-of.js';
import { evidenceForm, evidencePage } from './evidence-page.js';
import { type PageContext, pageContextOf } from './page-context.js';
import { actsAsCsv, actsAsNdjson } from './acts-file.js';
import { merged } from './activity.js';
import { actsPage } from './acts-page.js';
import { readActsQuery } from './acts-query.js';
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
const now = new Date('2026-11-22T12:00:00.000Z');
const contextFor = (of: Viewer): PageContext =>
  pageContextOf({ viewer: of, texts: operatorTextsOf(of), zone: 'Africa/Nairobi', now });
const context = contextFor(viewer);
/** Issuers give names that people typed themselves. */
const names = new Map([[`${issuer}#amina`, hostile]]);

const headOf = (date: string): SealedHead => ({
  id: date,
  signature: 's',
  publicKey: 'k',
  head: {
    date,
    timezone: 'Africa/Nairobi',
    treeSize: '7',
    root: 'ab'.repeat(32),
    historySize: '90',
    historyRoot: 'cd'.repeat(32),
    keyId: 'ef'.repeat(32),
    previousTreeSize: '0',
    previousRoot: '',
  } satisfies DayHead,
});

describe('the page of the seals', () => {
  it('shows the newest head in full, and the days before it, bounded', () => {
    const days = Array.from({ length: 60 }, (_, day) =>
      new Date(Date.UTC(2026, 8, 1 + day)).toISOString().slice(0, 10),
    );
    const { text } = sealsPage(days.map(headOf), undefined, context);
    expect(text).toContain('cd'.repeat(32));
    // The sealed days come first.
    expect(text.indexOf('<th scope="row"')).toBeLessThan(text.indexOf('cd'.repeat(32)));
    expect(text.match(/<th scope="row"/g)).toHaveLength(50);
    expect(text).toContain('/portal/audit?before=2026-09-11');
    const earlier = sealsPage(days.map(headOf), '2026-09-11', context).text;
    expect(earlier.match(/<th scope="row"/g)).toHaveLength(10);
    expect(earlier).not.toContain('?before=');
  });

  it('says what to do if no day is sealed', () => {
    expect(sealsPage([], undefined, context).text).toContain('npx pesapost audit seal');
  });
});

const item: Item = {
  type: 'collection',
  key: { mode: 'demo', merchantId: 'm1', reference: hostile },
};
const posting = (inclusion: ProvedPosting['inclusion']): ProvedPosting =>
  ({
    position: 1n,
    posting: { type: 'RailConfirmed' },
    leafHash: '12'.repeat(32),
    inclusion,
    sealedBy: inclusion ? undefined : '2026-11-23T21:05:00.000Z',
  }) as unknown as ProvedPosting;

describe('the page of a proof', () => {
  it('gives the file, the check in the browser and the one without this site', () => {
    const inclusion = { index: 3, treeSize: 7, path: ['aa', 'bb'] };
    const proof = { postings: [posting(inclusion)], head: headOf('2026-11-22') };
    const { text } = proofPage(item, proof, context);
    expect(text).toContain('3 of 7');
    expect(text).toContain('Sealed on 2026-11-22: verified');
    expect(text.indexOf('Sealed on')).toBeLessThan(text.indexOf('<details>'));
    expect(text.indexOf('3 of 7')).toBeGreaterThan(text.indexOf('<details>'));
    expect(text).toContain('<form id="check" hidden');
    expect(text).toMatch(/<script type="module" src="\/portal\/static\/proof-[0-9a-f]{12}\.js">/);
    expect(text).toContain('node verifier/verify.mjs');
    expect(foreignMarkup(text)).toEqual([]);
  });

  it('says when a posting of today is sealed, and offers no check before', () => {
    const { text } = proofPage(item, { postings: [posting(undefined)], head: undefined }, context);
    expect(text).toContain('2026-11-24 00:05:00');
    expect(text).not.toContain('id="check"');
    expect(text).not.toContain('verified');
    const paid = proofPage(
      item,
      { postings: [posting(undefined)], head: undefined, amount: 'KES 100.01' },
      context,
    );
    expect(paid.text).toContain('<p class="amount">KES 100.01</p>');
  });
});

describe('the page of roles', () => {
  it('names the person who granted each, and the reason', () => {
    const role: RoleSince = {
      person: `${issuer}#faith`,
      name: hostile,
      role: 'finance',
      proposedBy: `${issuer}#amina`,
      confirmedBy: `${issuer}#wanjiru`,
      reason: 'hired',
      isSuspended: false,
      grantedAt: '2026-11-20T10:00:00.000Z' as Instant,
    };
    const { text } = rolesPage(
      { roles: [role], day: '2026-11-20', isWrong: false, names },
      context,
    );
    expect(text).toContain('amina');
    expect(text).toContain('<b>you</b>');
    expect(text).toContain('hired');
    expect(text).toContain('2026-11-20 13:00:00 EAT');
    expect(foreignMarkup(text)).toEqual([]);
  });

  it('says what is wrong with a day', () => {
    const { text } = rolesPage({ roles: [], day: '2026-02-30', isWrong: true, names }, context);
    expect(text).toContain('aria-invalid="true"');
  });
});

const opened: Act = {
  position: 9n,
  kind: 'evidence',
  type: 'EvidenceOpened',
  revision: 3n,
  recordedAt: '2026-11-20T10:00:00.000Z' as Instant,
  actor: `${issuer}#amina`,
  people: [`${issuer}#amina`],
  merchantId: 'm1',
  mode: 'demo',
  stream: 'platform-evidence',
  reason: hostile,
  details: { stream: 'collection-demo:m1:INV-1', messages: 3, digest: 'x' },
};
const entries = [{ kind: 'act', act: opened }] as const;
const asked = (search: string) => readActsQuery(new URLSearchParams(search));

describe('the page of who did what', () => {
  it('shows the person by name and subject, the act, the payment, the reason and the place in the log', () => {
    const page = { entries, upTo: 12n, next: { before: 9n } };
    const { text } = actsPage({ query: asked('kind=evidence'), page, names }, context);
    expect(text).toContain('Opened evidence');
    expect(text).toContain('/portal/items/demo/m1/collection/INV-1');
    expect(text).toContain('<span title="https://id.example">amina</span>');
    expect(text).toContain('/portal/audit/people?kind=evidence&amp;before=9');
    expect(text).toContain('/portal/audit/people.csv?kind=evidence&amp;up_to=12');
    // The reason, and the issuer's name of the person.
    expect(text.match(/&lt;img/g)?.length).toBe(2);
    expect(foreignMarkup(text)).toEqual([]);
  });

  it('lists proposals of reviews among the events by time, and names the part of each person', () => {
    const [id, proposer] = ['0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6f', `${issuer}#joseph`];
    const at = (time: string) => new Date(`2026-11-20T${time}:00.000Z`);
    const proposal = {
      id,
      step: 0,
      type: 'proposed',
      at: at('09:00'),
      by: proposer,
      stream: 'collection-demo:m1:INV-2',
      mode: 'demo',
      decision: 'suspense_to_merchant',
      reason: hostile,
    } as const;
    const declined = { ...proposal, step: 1, type: 'declined', at: at('11:00') } as const;
    const decided: Act = {
      ...opened,
      kind: 'review',
      type: 'ReviewDecided',
      people: [`${issuer}#amina`, proposer],
      details: { proposedBy: proposer, confirmedBy: `${issuer}#amina` },
    };
    const all = merged([decided], [declined, proposal]);
    expect(all.map(({ kind }) => kind)).toEqual(['proposal', 'act', 'proposal']);
    const next = { before: 9n, beforeProposal: proposal };
    const page = { entries: all, upTo: 12n, next };
    const { text } = actsPage({ query: asked(''), page, names }, context);
    expect(text).toMatch(
      /Rejected a proposal: Give to the merchant[^]*Decided a review[^]*Proposed a decision: Give to the merchant/,
    );
    expect(text).toContain('/portal/items/demo/m1/collection/INV-2');
    expect(text).toMatch(/confirmed<\/span>[^]*amina[^]*asked<\/span>[^]*joseph/);
    expect(foreignMarkup(text)).toEqual([]);
    const [, search = ''] = /people\?(before=9&amp;before_proposal=[^"]+)/.exec(text) ?? [];
    const { id: sameId, step, at: sameAt } = proposal;
    expect(asked(search.replaceAll('&amp;', '&')).place).toEqual({
      before: 9n,
      beforeProposal: { id: sameId, step, at: sameAt },
    });
  });

  it.each([
    ['from=2026-02-30', 'days'],
    ['from=2026-11-21&to=2026-11-20', 'days'],
    ['kind=anything', 'kind'],
    ['before=0', 'position'],
    ['before_proposal=1.2.3', 'position'],
    ['up_to=all', 'position'],
  ])('says what is wrong with %s', (search, wrong) => {
    const query = asked(search);
    expect(query.wrong).toEqual([wrong]);
    expect(actsPage({ query, page: undefined, names }, context).text).toContain('role="alert"');
  });

  it('has every word in Swahili as well', () => {
    const swahili = contextFor({ ...viewer, language: 'sw' });
    const page = { entries, upTo: 12n, next: undefined };
    const { text } = actsPage({ query: asked(''), page, names }, swahili);
    expect(text).toContain('Alifungua ushahidi');
    expect(text).not.toContain('Opened evidence');
  });
});

async function* some(...acts: readonly Act[]): AsyncGenerator<Act> {
  for (const act of acts) yield await Promise.resolve(act);
}

describe('the file of who did what', () => {
  it.each(['=', '+', '-', '@', '\t=', '＝'])(
    'runs no formula that begins with %j',
    async (begin) => {
      const formula = `${begin}HYPERLINK("http://x";A1)`;
      const act = {
        ...opened,
        reason: formula,
        actor: formula,
        people: [formula],
        stream: formula,
        merchantId: formula,
        mode: null,
      };
      const csv = (await Array.fromAsync(actsAsCsv(some(act), 12n))).join('');
      expect(csv.split(`"'${formula.replaceAll('"', '""')}"`)).toHaveLength(6);
    },
  );

  it('contains in each line the position up to which it goes', async () => {
    const act = { ...opened, reason: 'because' };
    const csv = (await Array.fromAsync(actsAsCsv(some(act, act), 12n))).join('');
    const [head, ...lines] = csv.trimEnd().split('\r\n');
    expect(head?.split(',').at(-1)).toBe('up_to');
    expect(lines.map((line) => line.split(',').at(-1))).toEqual(['12', '12']);
  });

  it('has the same as JSON, a line each', async () => {
    const [line = ''] = await Array.fromAsync(actsAsNdjson(some(opened), 12n));
    expect(line.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line)).toMatchObject({
      position: '9',
      event: 'EvidenceOpened',
      up_to: '12',
      reason: hostile,
      details: { messages: 3 },
    });
  });
});

describe('the pages of evidence', () => {
  it('ask for a reason and show what is wrong, with what was typed', () => {
    const errors = [{ field: 'reason', text: 'Leave the phone number out' }];
    const form = { named: { reference: 'INV-1' }, reason: hostile, errors };
    const { text } = evidenceForm(form, context);
    expect(text).toContain('href="#reason"');
    expect(text).toContain('value="INV-1"');
    expect(foreignMarkup(text)).toEqual([]);
  });

  it('show what was sent as text, marks that would turn it around written out', () => {
    const message: OpenedMessage = {
      message: {
        id: '1',
        kind: 'request',
        erasedAt: undefined,
        receivedAt: new Date('2026-11-20T10:00:00.000Z'),
      },
      contents: { state: 'opened', bytes: Buffer.from(`${hostile}\u202eabc\n`) },
      named: [
        {
          event: 'CollectionIntentRecorded',
          commitmentIs: 'held',
          digest: 'differs',
          signature: 'invalid',
        },
      ],
    };
    const { text } = evidencePage([message], context);
    expect(text).toContain('\\u{202e}abc');
    expect(text).toContain('the bytes do NOT match the event');
    expect(text).toContain('the signature is NOT valid');
    expect(foreignMarkup(text)).toEqual([]);
  });
});
