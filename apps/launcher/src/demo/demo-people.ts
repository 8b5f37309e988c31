import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { hashPassword, isPassword } from '#shared/signing';
import { type JWK } from 'jose';
import { freePort, isFree } from '#infra/local-servers';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { StartRefused } from '../refusal.js';
import { type RunCommand } from './command-line.js';
import { adminToken, ownerToken } from './owner-token.js';
import { type DemoPortalPerson, readDemoFile, writeDemoFile } from './demo-file.js';

/** The demo's people: two of each role that decides about money, since that takes two, and one of each other role. */
const cast: readonly (Pick<DemoPortalPerson, 'login' | 'name' | 'role'> & {
  /** True for the demo merchant's own people. */
  readonly ofMerchant?: true;
})[] = [
  { login: 'admin', name: 'Amina Yusuf', role: 'admin' },
  { login: 'admin2', name: 'Joseph Odhiambo', role: 'admin' },
  { login: 'finance', name: 'Wanjiru Kamau', role: 'finance' },
  { login: 'finance2', name: 'Otieno Ouma', role: 'finance' },
  { login: 'viewer', name: 'Njeri Mwangi', role: 'viewer' },
  { login: 'support', name: 'Baraka Mutua', role: 'support' },
  { login: 'auditor', name: 'Halima Abdi', role: 'auditor' },
  { login: 'shop-developer', name: 'Daudi Kiprono', role: 'developer', ofMerchant: true },
  { login: 'shop-finance', name: 'Fatuma Ali', role: 'finance', ofMerchant: true },
  { login: 'shop-finance2', name: 'Peter Njoroge', role: 'finance', ofMerchant: true },
  { login: 'shop-owner', name: 'Grace Achieng', role: 'owner', ofMerchant: true },
];

interface KnownPerson {
  /** The issuer's name for the person. It never changes, so that earlier roles stay theirs. */
  readonly subject: string;
  readonly login: string;
  readonly name: string;
  readonly password_hash: string;
}

/** DATA_DIR/identity-provider.json, which the embedded identity provider reads and this launcher maintains. */
interface IdentityFile {
  /** Part of the issuer's URL, and so of each person's id. */
  readonly port: number;
  readonly client_secret: string;
  readonly cookie_key: string;
  readonly signing_key: JWK;
  readonly people: readonly KnownPerson[];
}

/** The embedded identity provider of this start. */
export interface DemoIdentity {
  readonly file: string;
  readonly port: number;
  readonly issuer: string;
  readonly clientSecret: string;
  /** The token that names the machine's owner to the command line. */
  readonly ownerToken: string;
  /** Signs a person in for a few minutes. */
  readonly signIn: (login: string) => Promise<string>;
  readonly people: readonly KnownPerson[];
}

const fileName = 'identity-provider.json';
/** The roles that earlier starts granted. */
const grantedFile = 'demo-roles.json';
const grantsFile = 'demo-grants.json';
/** The provider's name for the portal. */
export const portalClientId = 'pesapost-portal';
/**
 * For a step-up, the demo accepts a passkey, or the password of a person who has no passkey. For a person who has one,
 * a password gets another acr (PEO-10).
 */
export const demoStepUpAcr = ['phr', 'pwd'] as const;

/**
 * Returns the demo's people and their provider's data, which persist from start to start, and creates the missing
 * parts.
 * @param portalUrl the portal's address for people's browsers
 * @throws StartRefused if another program has the provider's port, or the file is damaged
 */
export async function demoIdentity(
  directory: DataDirectory,
  portalUrl: string,
): Promise<DemoIdentity> {
  const [text, demo] = [await directory.read(fileName), await readDemoFile(directory)];
  const kept = text === undefined ? undefined : parsed(directory, text);
  if (kept && !(await isFree(kept.port)))
    throw new StartRefused(
      `port ${kept.port} is taken by another program: stop it. The provider of identities must keep it, since the demo's people are known by it`,
    );
  const known = demo.portal?.people ?? [];
  const people = cast.map(({ ofMerchant: _where, ...person }) => {
    const before = known.find(({ login }) => login === person.login);
    return before ?? { ...person, password: randomBytes(9).toString('base64url') };
  });
  const file: IdentityFile = {
    ...(kept ?? (await newKeys())),
    people: await Promise.all(
      people.map((person) =>
        keptPerson(
          person,
          kept?.people.find(({ login }) => login === person.login),
        ),
      ),
    ),
  };
  await directory.writeSecret(fileName, `${JSON.stringify(file, null, 2)}\n`);
  await writeDemoFile(directory, { ...demo, portal: { url: portalUrl, people } });
  const issuer = `http://localhost:${file.port}`;
  return {
    file: directory.join(fileName),
    port: file.port,
    issuer,
    clientSecret: file.client_secret,
    ownerToken: await ownerToken(issuer, file.signing_key),
    signIn: (login) =>
      adminToken({ issuer, signingKey: file.signing_key }, named(personOf(file.people, login))),
    people: file.people,
  };
}

function parsed(directory: DataDirectory, text: string): IdentityFile {
  try {
    return JSON.parse(text) as IdentityFile;
  } catch {
    throw new StartRefused(
      `${directory.join(fileName)} is not JSON: put it back as it was; without it the demo's people lose their roles`,
    );
  }
}

async function newKeys(): Promise<Omit<IdentityFile, 'people'>> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return {
    port: await freePort(),
    client_secret: randomBytes(32).toString('base64url'),
    cookie_key: randomBytes(32).toString('base64url'),
    signing_key: { ...privateKey.export({ format: 'jwk' }), kid: randomUUID() },
  };
}

/** Hashes the password again if demo.json has a different one. */
async function keptPerson(
  { login, name, password }: DemoPortalPerson,
  before: KnownPerson | undefined,
): Promise<KnownPerson> {
  if (before && (await isPassword(password, before.password_hash))) return before;
  const subject = before?.subject ?? randomUUID();
  return { subject, login, name, password_hash: await hashPassword(password) };
}

export interface DemoRolesOptions {
  readonly directory: DataDirectory;
  readonly identity: DemoIdentity;
  readonly merchantId: string;
  /** The command line under this sign-in, or as the machine's owner if there is none. */
  readonly runAs: (signIn?: string) => Promise<RunCommand>;
  readonly say: (line: string) => void;
}

interface WantedRole {
  readonly person: string;
  readonly name: string;
  readonly role: string;
  readonly merchant_id?: string;
}

/** Writes the demo's people into demo.json and grants them the roles that no earlier start granted. */
export async function demoRoles(options: DemoRolesOptions): Promise<void> {
  const { directory, identity, merchantId, say } = options;
  const demo = await readDemoFile(directory);
  if (!demo.portal) throw new TypeError('the demo’s people are written down before');
  const people = demo.portal.people.map((person) =>
    isOfMerchant(person) ? { ...person, merchant_id: merchantId } : person,
  );
  const wanted = people.map(({ login, name, role, merchant_id }) => ({
    person: idOf(identity, login),
    name,
    role,
    ...(merchant_id !== undefined && { merchant_id }),
  }));
  const granted = JSON.parse((await directory.read(grantedFile)) ?? '[]') as WantedRole[];
  if (!wanted.every((one) => granted.some((other) => isSame(one, other)))) {
    say('granting the demo’s people their roles …');
    try {
      await grant(
        options,
        wanted.map((role, index) => ({ ...role, login: people[index]?.login ?? '' })),
      );
      await directory.writeSecret(grantedFile, `${JSON.stringify(wanted, null, 2)}\n`);
    } catch (error) {
      if (!(error instanceof StartRefused)) throw error;
      say(`the demo’s people get no roles: ${error.message}`);
    }
  }
  await writeDemoFile(directory, { ...demo, portal: { ...demo.portal, people } });
}

/**
 * Grants roles as people do: the machine's owner names two admins, one grants, and the other confirms a grant that
 * needs two.
 */
async function grant(
  { directory, identity, runAs }: DemoRolesOptions,
  wanted: readonly (WantedRole & { readonly login: string })[],
): Promise<void> {
  const [one, other] = wanted.filter(({ role }) => role === 'admin');
  if (!one || !other) throw new TypeError('the demo has two admins');
  const admins = [one, other].flatMap(({ person, name }) => ['--admin', `${person}=${name}`]);
  const owner = await runAs();
  await owner('role', 'first-admins', ...admins).catch((error: unknown) => {
    // A killed start may have named them already. If not, the next step is refused with the reason.
    if (!(error instanceof StartRefused)) throw error;
  });
  const others = wanted
    .filter(({ role }) => role !== 'admin')
    .map(({ login: _login, ...role }) => role);
  await directory.writeSecret(grantsFile, JSON.stringify(others));
  try {
    const granter = await runAs(await identity.signIn(one.login));
    const done = await granter('role', 'grant', '--file', directory.join(grantsFile));
    const roles = done['roles'] as unknown as readonly { readonly proposal_id?: string }[];
    const ids = roles.flatMap(({ proposal_id: id }) => (id === undefined ? [] : [id]));
    if (ids.length === 0) return;
    const confirmer = await runAs(await identity.signIn(other.login));
    await confirmer('role', 'confirm', ...ids);
  } finally {
    await directory.remove(grantsFile);
  }
}

function idOf({ issuer, people }: DemoIdentity, login: string): string {
  return `${issuer}#${personOf(people, login).subject}`;
}

/** The two members that go into a token. */
function named({ subject, name }: KnownPerson): Pick<KnownPerson, 'subject' | 'name'> {
  return { subject, name };
}

function personOf(people: readonly KnownPerson[], login: string): KnownPerson {
  const person = people.find((each) => each.login === login);
  if (!person) throw new TypeError(`the provider does not know ${login}`);
  return person;
}

function isOfMerchant({ login }: DemoPortalPerson): boolean {
  return cast.some((each) => each.login === login && each.ofMerchant);
}

function isSame(one: WantedRole, other: WantedRole): boolean {
  return (
    one.person === other.person && one.role === other.role && one.merchant_id === other.merchant_id
  );
}
