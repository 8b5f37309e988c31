import { pesapost, signedInAs, typed } from '#testing';
import { FakeIssuer } from '../../libs/edges/portal/test/fake-issuer.js';

type Environment = Readonly<Record<string, string>>;

/** The first two admins of a log, both signed in on the command line as after `login --fresh`. */
export interface TwoAdmins {
  readonly issuer: FakeIssuer;
  /** The environment of each one's commands. */
  readonly asha: Environment;
  readonly joseph: Environment;
}

/** Signs somebody in on the command line, as `login --fresh` does. @returns the environment of that person's commands */
export async function signInAt(
  issuer: FakeIssuer,
  subject: string,
  machine: Environment,
): Promise<Environment> {
  const token = await issuer.commandLineToken(subject);
  const person = { issuer: issuer.url, subject };
  return { ...machine, ...(await signedInAs(machine['DATABASE_URL'] ?? '', person, token)) };
}

/**
 * Grants the first two admins under the name that `--as root` types, at an issuer of their own.
 * @param machine the stores' addresses and the master key
 */
export async function grantTwoAdmins(machine: Environment): Promise<TwoAdmins> {
  const issuer = new FakeIssuer();
  await issuer.start();
  const asha = await signInAt(issuer, 'asha', machine);
  const joseph = await signInAt(issuer, 'joseph', machine);
  const admins = ['asha', 'joseph'].flatMap((one) => ['--admin', `${issuer.url}#${one}=${one}`]);
  const granted = await typed(
    machine,
    ...['role', 'first-admins', ...admins, '--as', 'root', '--reason', 'the first two'],
  );
  if (granted.code !== 0) throw new Error(granted.stderr);
  return { issuer, asha, joseph };
}

/**
 * Makes a change that needs two admins: asha proposes it, joseph confirms it.
 * @param words the command, with its reason
 * @returns the JSON that the confirming admin sees
 */
export async function decidedByTwo(
  { asha, joseph }: TwoAdmins,
  ...words: string[]
): Promise<Readonly<Record<string, string>>> {
  const { proposal_id: id = '' } = await pesapost(asha, ...words);
  return pesapost(joseph, 'pending', 'confirm', id);
}
