import { describe, expect, it } from '@jest/globals';
import { type BreakGlass } from '#domain/people';
import { html } from '#shared/html';
import { foreignMarkup, hostile } from '#testing';
import { type Viewer } from '../access/viewer.js';
import { type PendingForm } from '#records/people';
import { stepUpPage } from '../session/step-up-page.js';
import { type Frame } from './frame.js';
import { documentOf, type Page } from './page.js';
import { noSideFacts, type SideFacts } from './side-facts.js';

const viewer: Viewer = {
  person: { issuer: 'https://id.example', subject: 's1' },
  name: 'Amina <b>& Co</b>',
  roles: [{ role: 'viewer' }],
  language: 'en',
  formToken: 'token-1',
  sessionHash: Buffer.alloc(32),
  merchant: { merchantId: 'm1', mode: 'demo' },
};

function documentText(page: Partial<Page> = {}, frame: Partial<Frame> = {}): string {
  return documentOf(
    { title: 'Reviews', content: html`<p>none</p>`, ...page },
    {
      viewer,
      language: 'en',
      target: '/portal/merchants/m1/demo/days?a=1',
      isForm: false,
      ...frame,
    },
  ).text;
}

describe('markup that is not ours', () => {
  it.each([
    ...[hostile, '<p><img src="/x" /></p>', '<p><b>a</p', '<script>x</script>'],
    ...['<a href="javascript:x">a</a>', '<a href="//elsewhere">a</a>', '<form action="https://x">'],
    ...['<p onclick="x">a</p>', '<p style="x">a</p>', '<p title=x>a</p>'],
  ])('is detected', (text) => {
    expect(foreignMarkup(text)).not.toEqual([]);
  });

  it('does not include what we write', () => {
    const text =
      '<p class="a"><a href="/portal?a=1&amp;b=2">&lt;b&gt; 1 > 0</a><br /><input required /></p>';
    expect(foreignMarkup(text)).toEqual([]);
  });
});

describe('the sidebar', () => {
  const owner = { role: 'owner', merchantId: 'm1' } as const;
  const sideOf = (side: Partial<SideFacts>, roles: Viewer['roles'] = [owner]): string =>
    documentText({}, { viewer: { ...viewer, roles }, side: { ...noSideFacts, ...side } })
      .split('class="side"')[1]
      ?.split('</nav>')[0] ?? '';

  it('shows the work that waits as a number, with words for a screen reader', () => {
    expect(sideOf({ counts: { payouts: 7 } })).toMatch(
      /Payouts<span class="count" aria-hidden="true">7<[^]*class="away">, 7 need you</,
    );
    expect(sideOf({ counts: { webhooks: 100 } })).toMatch(/>99\+<[^]*more than 99 need you</);
    expect(sideOf({ counts: { payouts: 0 } })).not.toContain('class="count"');
    expect(sideOf({})).not.toContain('class="count"');
  });

  it('shows V3’s page to merchants that have used V3, and while it is open', () => {
    expect(sideOf({})).not.toContain('V3 migration');
    expect(sideOf({ usesV3: true })).toContain('V3 migration');
    const open = documentText({ place: 'v3' }, { viewer: { ...viewer, roles: [owner] } });
    expect(open).toContain('V3 migration');
  });

  it('names the other merchants of the viewer, and shows the end of an id without a name', () => {
    const roles = [owner, { role: 'finance', merchantId: 'm-000002' } as const];
    const names = new Map([['m-000002', 'Duka <b>']]);
    expect(sideOf({ names }, roles)).toMatch(/<details class="menu">[^]*Duka &lt;b&gt;/);
    expect(sideOf({}, roles)).toContain('000002');
    expect(sideOf({ names })).not.toContain('class="menu"');
  });
});

describe('a page', () => {
  it('has a language, a title, a way past the navigation, and one first heading', () => {
    const text = documentText();
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('<title>Reviews – PesaPost portal</title>');
    expect(text).toContain('href="#main"');
    expect(text.match(/<h1>/g)).toHaveLength(1);
  });

  it('has no inline script or style: its policy allows none', () => {
    const text = documentText({ refresh: 15, done: 'Approved.' });
    expect(text).not.toMatch(/<style|style="|<script>|\son[a-z]+="/);
    expect(text.match(/<script [^>]*>/g)).toEqual([
      expect.stringMatching(/src="\/portal\/static\/htmx-[0-9a-f]{12}\.js" defer/),
      expect.stringMatching(/src="\/portal\/static\/shell-[0-9a-f]{12}\.js" defer/),
    ]);
  });

  it('shows a name of the issuer as text', () => {
    expect(documentText()).toContain('Amina &lt;b&gt;&amp; Co&lt;/b&gt;');
  });

  it('lets nothing of what others wrote be markup, nor an address', () => {
    const named = { ...viewer, name: hostile };
    const text = documentText(
      { title: hostile, done: hostile, refresh: 15 },
      { viewer: named, target: `/portal/find?q=${hostile}` },
    );
    expect(foreignMarkup(text)).toEqual([]);
  });

  it.each([false, true])('shows a waiting form as text, proved: %s', (isProved) => {
    const form: PendingForm = {
      action: 'payouts.approve',
      target: '/portal/payouts/approve',
      mediaType: undefined,
      digest: Buffer.alloc(32),
      bytes: Buffer.from(hostile),
      description: {
        title: hostile,
        verb: 'approve',
        rows: [[hostile, hostile]],
        payment: {
          amount: hostile,
          to: hostile,
          merchant: hostile,
          mode: 'demo',
        },
      },
    };
    const held = { id: 'x', form, isProved, wasNotAnew: !isProved };
    const page = stepUpPage({ ...viewer, name: hostile }, held);
    expect(page.content.text.match(/&lt;script&gt;/g)).toHaveLength(5);
    expect(foreignMarkup(documentText(page))).toEqual([]);
  });

  it('says in words whether it is demo or live, on a merchant’s pages only', () => {
    const current = (text: string) => /aria-current="true"\s*>([^<]*)</.exec(text)?.[1];
    expect(current(documentText())).toBe('Demo');
    expect(documentText()).toContain(': no real money');
    expect(documentText()).toContain('is-demo');
    const live = { ...viewer, merchant: { merchantId: 'm1', mode: 'live' as const } };
    expect(current(documentText({}, { viewer: live }))).toBe('Live');
    expect(documentText({}, { viewer: live })).not.toContain('is-demo');
    expect(documentText({}, { viewer: { ...viewer, merchant: undefined } })).not.toMatch(/money/);
  });

  it('names the merchant whose page it is, with its id', () => {
    expect(documentText({}, { merchantName: hostile })).toMatch(
      /&lt;script&gt;[^]*<code>m1<\/code>/,
    );
    expect(documentText()).not.toContain('undefined');
  });

  it('has one navigation and one search, which is a form that is posted', () => {
    const text = documentText();
    expect(text.match(/<nav class="nav"/g)).toHaveLength(1);
    const [search = ''] = /<form[^>]*role="search"[^>]*>/.exec(text) ?? [];
    expect(search).toContain('method="post"');
    expect(search).toContain('action="/portal/merchants/m1/demo/transactions/find"');
    const operator = { ...viewer, merchant: undefined };
    expect(documentText({}, { viewer: operator })).toMatch(
      /role="search"[^>]*action="\/portal\/find"/,
    );
    expect(documentText({}, { viewer: { ...viewer, roles: [] } })).not.toContain('role="search"');
  });

  it('has the colours that the person chose, else the system’s', () => {
    expect(documentText()).toContain('data-theme="system"');
    expect(documentText({}, { theme: 'dark' })).toContain('data-theme="dark"');
  });

  describe('while a new admin is announced', () => {
    const breakGlass = {
      id: 'e-1',
      person: 'https://id.example#s9',
      name: hostile,
      reason: 'none can act',
      proposedBy: 'root',
      announcedAt: '2026-11-22T12:00:00.000Z',
      takesEffectAt: '2026-11-23T12:00:00.000Z',
    } as BreakGlass;
    const shown = (of: Partial<Viewer>) => documentText({}, { viewer: { ...viewer, ...of } });

    it.each<[string, Partial<Viewer>]>([
      ['of the platform', {}],
      ['of a merchant', { roles: [{ role: 'developer', merchantId: 'm1' }] }],
      ['that a suspension took away', { roles: [], isSuspended: true }],
    ])('a page shows everyone with a role %s the name, the time and the link', (_, of) => {
      const text = shown({ ...of, breakGlass });
      const banner = text.slice(text.indexOf('<main'), text.indexOf('<h1>'));
      expect(banner).toContain('&lt;script&gt;');
      expect(banner).toContain('datetime="2026-11-23T12:00:00.000Z"');
      expect(banner).toContain('href="/portal/break-glass"');
      expect(foreignMarkup(text)).toEqual([]);
    });

    it('a page shows nothing to a person without a role, nor after the announcement has ended', () => {
      expect(shown({ roles: [], breakGlass })).not.toContain('/portal/break-glass');
      expect(shown({ breakGlass: undefined })).not.toContain('/portal/break-glass');
    });
  });

  it('is requested again only if a GET showed it', () => {
    const shown = documentText({ refresh: 15 });
    expect(shown).toContain('hx-get="/portal/merchants/m1/demo/days?a=1" hx-trigger="every 15s"');
    expect(documentText({ refresh: 15 }, { isForm: true })).not.toContain('hx-get');
  });

  it('is never reloaded as a whole, which would lose typed text and keep its session alive', () => {
    expect(documentText({ refresh: 15 })).not.toContain('http-equiv');
  });

  it('offers the other language, and returns to the same place', () => {
    const text = documentText({}, { language: 'sw' });
    expect(text).toContain('<html lang="sw">');
    expect(text).toMatch(/name="back" value="\/portal\/merchants\/m1\/demo\/days\?a=1"/);
    expect(text).toMatch(/name="language"\s+value="en"\s+lang="en"/);
  });
});
