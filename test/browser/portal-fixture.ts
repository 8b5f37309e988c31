import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashPassword } from '#shared/signing';
import {
  eventually,
  freePort,
  pesapost,
  type Service,
  signedInAs,
  startChild,
  startOwnServers,
  startService,
} from '#testing';
import { SignJWT } from 'jose';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { makeScreenshotFolder } from './fixture.js';

/** A name that would run as a script if it were not escaped. */
export const hostile = `<img src=x onerror="document.title='owned'">`;

/** One person of each role, who signs in with the role's own name. */
const names = {
  admin: 'Amina Yusuf',
  'other-admin': 'Joseph Otieno',
  auditor: 'Wanjiru Kamau',
  finance: 'Faith Njeri',
  support: 'Samuel Kiprop',
  viewer: `Vera ${hostile}`,
  owner: 'Grace Akinyi',
  bookkeeper: 'Peter Mwangi',
  developer: 'Dennis Ouma',
} as const;
export type Login = keyof typeof names;

const ofPlatform = ['auditor', 'finance', 'support', 'viewer'] as const;
const ofMerchant = { owner: 'owner', bookkeeper: 'finance', developer: 'developer' } as const;
const password = 'tamu sana';
const subjectOf = (login: string): string => `subject-${login}`;

/** The service with the demo's identity provider, people of each role, and a browser. */
interface FreshOptions {
  readonly javaScript?: boolean;
  /** The browser's preferred language. */
  readonly locale?: string;
}

export interface PortalFixture {
  readonly service: Service;
  /** Origin of the pages. */
  readonly url: string;
  readonly merchantId: string;
  /** The merchant with a hostile name. */
  readonly otherMerchantId: string;
  /** A browser in which this person is signed in. */
  browserOf(login: Login, options?: { readonly javaScript?: boolean }): Promise<BrowserContext>;
  /** A browser without a session. */
  fresh(options?: FreshOptions): Promise<BrowserContext>;
  /** Fills in and submits the provider's form. */
  signIn(page: Page, login: Login): Promise<void>;
  /** Does the same up to the password, on a page that already shows the form. */
  fillIn(page: Page, login: Login): Promise<void>;
  stop(): Promise<void>;
}

export async function startPortal(): Promise<PortalFixture> {
  // A log of its own: the first admins are named only once.
  const [servers, directory] = await Promise.all([
    startOwnServers(),
    mkdtemp(join(tmpdir(), 'pesapost-people-')),
  ]);
  const [port, issuerPort] = [await freePort(), await freePort()];
  const [url, issuer] = [`http://localhost:${port}`, `http://localhost:${issuerPort}`];
  const clientSecret = randomBytes(32).toString('base64url');
  const file = join(directory, 'people.json');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signIn = async (login: Login) =>
    signedInAs(
      servers.env.DATABASE_URL,
      { issuer, subject: subjectOf(login) },
      await tokenOf(issuer, login, privateKey),
    );
  await writeFile(file, JSON.stringify(await peopleFile(issuerPort, clientSecret, privateKey)));
  const provider = await startChild('identity-provider', {
    IDENTITY_PROVIDER_FILE: file,
    PORTAL_URL: url,
  });
  const service = await startService({ ...servers.env, AUDIT_SEAL_KEY: sealKey() });
  // Another API besides the service's, which has no issuer.
  await service.startReplica('api', {
    PORT: String(port),
    PORTAL_URL: url,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'pesapost-portal',
    OIDC_CLIENT_SECRET: clientSecret,
    // As in npm start: a passkey or, for a person without one, the password.
    OIDC_STEP_UP_ACR: 'phr pwd',
  });
  const [otherMerchantId, browser] = await Promise.all([
    populate(service, { issuer, rolesFile: join(directory, 'roles.json'), signIn }),
    launchChromium(),
    makeScreenshotFolder(),
  ]);
  return {
    service,
    url,
    otherMerchantId,
    merchantId: service.merchant.credentials.merchantId,
    ...people(browser, url),
    stop: async () => {
      await browser.close();
      await service.stop();
      provider.signal('SIGTERM');
      await provider.ended;
      await servers.stop();
      await rm(directory, { recursive: true });
    },
  };
}

function sealKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A token for the command line: this person has just signed in there. */
function tokenOf(issuer: string, login: Login, key: KeyObject): Promise<string> {
  const claims = { name: names[login], auth_time: Math.floor(Date.now() / 1000), acr: 'pwd' };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(issuer)
    .setSubject(subjectOf(login))
    .setIssuedAt()
    .setAudience('pesapost-cli')
    .setExpirationTime('1h')
    .sign(key);
}

async function peopleFile(
  port: number,
  clientSecret: string,
  privateKey: KeyObject,
): Promise<object> {
  const password_hash = await hashPassword(password);
  return {
    port,
    client_secret: clientSecret,
    cookie_key: randomBytes(32).toString('base64url'),
    signing_key: { ...privateKey.export({ format: 'jwk' }), kid: 'k1' },
    people: Object.entries(names).map(([login, name]) => ({
      subject: subjectOf(login),
      login,
      name,
      password_hash,
    })),
  };
}

/** The command line accepts a password as proof only under this name. */
const withPassword = { OIDC_STEP_UP_ACR: 'phr pwd', ALLOW_UNSAFE: 'weak-presence' };

/** Roles, a change that waits for another admin, payments, and a sealed day. @returns the other merchant's id */
async function populate(
  service: Service,
  {
    issuer,
    rolesFile,
    signIn,
  }: {
    readonly issuer: string;
    readonly rolesFile: string;
    readonly signIn: (login: Login) => Promise<Readonly<Record<string, string>>>;
  },
): Promise<string> {
  const operate = (...words: string[]) => pesapost(service.env, ...words, '--reason', 'test');
  const as = async (login: Login, ...words: string[]) => {
    const env = { ...service.env, ...(await signIn(login)), ...withPassword };
    return pesapost(env, ...words, '--reason', 'test');
  };
  const idOf = (login: Login): string => `${issuer}#${subjectOf(login)}`;
  const admins = (['admin', 'other-admin'] as const).flatMap((login) => [
    ...['--admin', `${idOf(login)}=${names[login]}`],
  ]);
  const [created] = await Promise.all([
    operate('merchant', 'create', '--name', hostile, '--as', 'spec'),
    payments(service),
  ]);
  const tomorrow = { ...service.env, CLOCK_OFFSET: '50h' };
  // From the first role on, typed names no longer count.
  await pesapost(tomorrow, 'audit', 'seal');
  await operate('role', 'first-admins', ...admins, '--as', 'spec');
  const { merchantId: merchant_id } = service.merchant.credentials;
  const wanted = [
    ...ofPlatform.map((role) => ({ person: idOf(role), name: names[role], role })),
    ...(Object.entries(ofMerchant) as [keyof typeof ofMerchant, string][]).map(([login, role]) => ({
      person: idOf(login),
      name: names[login],
      role,
      merchant_id,
    })),
  ];
  await writeFile(rolesFile, JSON.stringify(wanted));
  const { roles } = (await as('admin', 'role', 'grant', '--file', rolesFile)) as unknown as {
    roles: readonly { readonly proposal_id?: string }[];
  };
  const proposed = roles.flatMap(({ proposal_id: id }) => id ?? []);
  const waits = ['--person', idOf('support'), '--name', names.support, '--role', 'finance'];
  await Promise.all([
    as('admin', 'role', 'grant', ...waits),
    as('other-admin', 'role', 'confirm', ...proposed),
  ]);
  return created['merchant_id'] ?? '';
}

/** One that is paid, and one that waits for a review. */
async function payments({ merchant }: Service): Promise<void> {
  await merchant.collect({ reference: 'INV-1' });
  await merchant.collect({ reference: 'INV-2', phone: '254700000010' });
  await eventually(
    () => merchant.get('/api/v4/collections/INV-1'),
    ({ body }) => body['status'] === 'completed',
    { withinMs: 60_000, everyMs: 200 },
  );
}

type People = Pick<PortalFixture, 'browserOf' | 'fresh' | 'signIn' | 'fillIn'>;
type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Each person signs in once; later browsers get their cookies. */
function people(browser: Browser, url: string): People {
  const kept = new Map<Login, Promise<StorageState>>();
  const fresh: People['fresh'] = ({ javaScript = true, locale = 'en-KE' } = {}) =>
    browser.newContext({ baseURL: url, locale, javaScriptEnabled: javaScript });
  const fillIn: People['fillIn'] = async (page, login) => {
    await page.fill('#login', login);
    await page.fill('#password', password);
  };
  const signIn: People['signIn'] = async (page, login) => {
    await page.goto('/portal');
    await fillIn(page, login);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL((at) => at.origin === url && at.pathname.startsWith('/portal/'));
  };
  const cookiesOf = async (login: Login): Promise<StorageState> => {
    const context = await fresh();
    await signIn(await context.newPage(), login);
    const state = await context.storageState();
    await context.close();
    return state;
  };
  return {
    fresh,
    signIn,
    fillIn,
    browserOf: async (login, { javaScript = true } = {}) => {
      const known = kept.get(login) ?? cookiesOf(login);
      kept.set(login, known);
      const contextOf = async (storageState: StorageState): Promise<BrowserContext> =>
        browser.newContext({
          baseURL: url,
          locale: 'en-KE',
          storageState,
          javaScriptEnabled: javaScript,
        });
      const context = await contextOf(await known);
      const answer = await context.request.get('/portal', { maxRedirects: 0 });
      if (answer.headers()['location']?.startsWith('/portal/sign-in') !== true) return context;
      // The person signed out elsewhere meanwhile, which ends all their sessions.
      await context.close();
      const anew = cookiesOf(login);
      kept.set(login, anew);
      return contextOf(await anew);
    },
  };
}
