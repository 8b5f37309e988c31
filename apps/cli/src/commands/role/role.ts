import {
  GrantFirstAdmins,
  personOf,
  type RevokeRefusal,
  RevokeRole,
  SuspendAdmin,
  type SuspendRefusal,
  unsuspendAdmin,
  type UnsuspendRefusal,
} from '#domain/people';
import { Command, InvalidArgumentError } from 'commander';
import {
  carryOut,
  change,
  type ChangeOptions,
  operatorMetadata,
  withReason,
} from '../../operator.js';
import { parseForEver } from '../../options.js';
import { propose } from '../../propose.js';
import { Refused } from '../../refused.js';
import { decidingCommands } from '../proposals/decide.js';
import { breakGlass } from './break-glass.js';
import { grant } from './grant.js';
import { list } from './list.js';
import {
  assertOfIssuer,
  heldRoleOf,
  parsePerson,
  type RoleOptions,
  roleRefusals,
  withRole,
} from './role-options.js';

interface Admin {
  readonly person: string;
  readonly name: string;
}

interface FirstOptions extends ChangeOptions {
  readonly admin: readonly Admin[];
}

const firstAdmins = change(
  'first-admins',
  'grants the first two admins, together and only once; needs only access to the machine',
  'role first-admins --admin "https://id.example#00u1=Amina Y" --admin "https://id.example#00u2=Joseph O" ' +
    '--reason "set up"',
)
  .requiredOption('--admin <issuer#subject=name>', 'given twice: two different people', parseAdmin)
  .action(async (options: FirstOptions) => {
    const [one, other, more] = options.admin;
    if (!one || !other || more) throw new Refused(['--admin: name two people, each with --admin']);
    assertOfIssuer([one.person, other.person]);
    await carryOut(new GrantFirstAdmins([one, other], operatorMetadata(options)), options, {
      admins_exist: 'there was an admin before, and admins grant roles: npx pesapost role list',
      same_person: '--admin: name two different people',
    });
  });

function parseAdmin(text: string, before: readonly Admin[] = []): readonly Admin[] {
  const mark = text.lastIndexOf('=');
  if (mark < 0 || !personOf(text.slice(0, mark)))
    throw new InvalidArgumentError('must be <issuer>#<subject>=<name>');
  const name = parseForEver(text.slice(mark + 1));
  return [...before, { person: parsePerson(text.slice(0, mark)), name }];
}

const revoke = withRole(
  change(
    'revoke',
    'revokes a role, within a second',
    'role revoke --person https://id.example#00u1 --role support --reason "left the team"',
  ),
).action((options: ChangeOptions & RoleOptions) => {
  const { person } = options;
  const command = new RevokeRole({ person, held: heldRoleOf(options) }, operatorMetadata(options));
  return carryOut(command, options, {
    ...roleRefusals,
    not_held: 'the person does not have this role: npx pesapost role list',
    last_admins: 'two admins must stay: grant the role to another person first',
  } as const satisfies Record<RevokeRefusal, string>);
});

const suspend = change(
  'suspend',
  'suspends an admin at once; roles, sessions and tokens end',
  'role suspend --person https://id.example#00u1 --reason "laptop stolen"',
)
  .requiredOption('--person <issuer#subject>', 'which admin', parsePerson)
  .action((options: ChangeOptions & { readonly person: string }) => {
    const command = new SuspendAdmin(options.person, withReason(options));
    return carryOut(command, options, {
      ...roleRefusals,
      not_an_admin: 'only an admin is suspended: role revoke takes the roles of anybody else away',
    } as const satisfies Record<SuspendRefusal, string>);
  });

const unsuspend = change(
  'unsuspend',
  'proposes that a suspended admin acts again; another admin confirms',
  'role unsuspend --person https://id.example#00u1 --reason "found the laptop"',
)
  .requiredOption('--person <issuer#subject>', 'which admin', parsePerson)
  .action((options: ChangeOptions & { readonly person: string }) =>
    propose(unsuspendAdmin, { person: options.person }, options, {
      not_admin: roleRefusals.not_admin,
      own_role: roleRefusals.own_role,
      proposer_not_admin: roleRefusals.not_admin,
      not_suspended: 'the person is not suspended: npx pesapost role list',
      second_admin_needed: 'another admin must agree',
      same_admin: 'another admin must agree',
    } as const satisfies Record<UnsuspendRefusal, string>),
  );

export const role = new Command('role')
  .description('people’s roles, which decide what they may do')
  .addCommand(firstAdmins)
  .addCommand(grant)
  .addCommand(revoke)
  .addCommand(suspend)
  .addCommand(unsuspend)
  .addCommand(breakGlass)
  .addCommand(list);
decidingCommands('role').forEach((command) => role.addCommand(command));
