import { type HeldRole, merchantRoles, operatorRoles, personOf, roleFrom } from '#domain/people';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { issuerOf } from '../../issuer.js';
import { Refused } from '../../refused.js';
import { settingsOrRefused } from '../../settings.js';

/**
 * Checks that the issuer, if one is set, could sign each person in. Otherwise one of two admins might not exist, and
 * roles that take two could never be granted. The first two are named only once.
 * @param people as `parsePerson` gives them
 * @throws Refused
 */
export function assertOfIssuer(people: readonly string[]): void {
  const issuer = issuerOf(settingsOrRefused());
  const other = issuer && people.find((id) => personOf(id)?.issuer !== issuer.url);
  if (other !== undefined)
    throw new Refused([
      `${other} is not an ID of the configured issuer: IDs have the form ${issuer?.url}#<subject>, to the letter`,
    ]);
}

/** Parses a person's id as events name people. */
export function parsePerson(text: string): string {
  const words = text.trim();
  const person = personOf(words);
  if (!person || !URL.canParse(person.issuer) || /\s/.test(words) || words.length > 500)
    throw new InvalidArgumentError(
      'must be <issuer>#<subject>, as https://id.example#00u1amina: npx pesapost whoami tells one’s own',
    );
  return words;
}

/**
 * Parses a person who gets something. A command reads its options before it asks for a proof of presence, so a person
 * of another issuer costs no proof.
 * @throws Refused
 */
export function parseOwnPerson(text: string): string {
  const person = parsePerson(text);
  assertOfIssuer([person]);
  return person;
}

export interface RoleOptions {
  readonly person: string;
  readonly role: string;
  readonly merchant?: string;
}

const roleNames = [...new Set<string>([...operatorRoles, ...merchantRoles])];

/** Adds --person, --role and --merchant. */
export function withRole(command: Command): Command {
  return command
    .requiredOption('--person <issuer#subject>', 'the person who has the role', parsePerson)
    .addOption(new Option('--role <role>', 'the role').choices(roleNames).makeOptionMandatory())
    .option('--merchant <id>', 'the role’s merchant; without it, a role of the platform');
}

/** @throws Refused if the platform, or a merchant, has no such role */
export function heldRoleOf({ role, merchant }: Omit<RoleOptions, 'person'>): HeldRole {
  const held = roleFrom(role, merchant);
  if (held) return held;
  throw new Refused([
    merchant === undefined
      ? `--role: ${role} is a role at a merchant: say which, with --merchant`
      : `--role: ${role} is a role of the platform: leave --merchant out, or take ${merchantRoles.join(', ')}`,
  ]);
}

/** Refusals of decisions about roles, in words. */
export const roleRefusals = {
  not_admin: 'only an admin decides about roles: npx pesapost role list',
  own_role: 'you cannot decide about a role of your own: another admin does',
  suspended: 'the person is suspended: two other admins lift that first',
} as const;
