import {
  AnnounceBreakGlass,
  type AnnounceRefusal,
  StopBreakGlass,
  type StopRefusal,
} from '#domain/people';
import { carryOut, change, type ChangeOptions, withReason } from '../../operator.js';
import { parseForEver } from '../../options.js';
import { Command } from 'commander';
import { parseOwnPerson, roleRefusals } from './role-options.js';

interface AnnounceOptions extends ChangeOptions {
  readonly person: string;
  readonly name: string;
}

const stop = change(
  'stop',
  'stops the announcement of a new admin; for every admin, suspended or not',
  'role break-glass stop --reason "we did not ask for it"',
).action((options: ChangeOptions) =>
  carryOut(new StopBreakGlass(withReason(options)), options, {
    not_admin: 'only an admin stops it: call one',
    none_announced: 'no announcement waits: npx pesapost role list',
  } as const satisfies Record<StopRefusal, string>),
);

const announce = change(
  'announce',
  'announces a new admin, if fewer than two can act: the role counts 24 h later, unless an admin stops it',
  'role break-glass announce --person https://id.example#00u5 --name "Wanjiru N" --reason "one admin left, one suspended"',
)
  .requiredOption('--person <issuer#subject>', 'the person who becomes an admin', parseOwnPerson)
  .requiredOption('--name <name>', 'the person’s name', parseForEver)
  .action(async (options: AnnounceOptions) => {
    const { person, name } = options;
    const command = new AnnounceBreakGlass({ person, name }, withReason(options));
    await carryOut(command, options, {
      own_role: roleRefusals.own_role,
      no_admins_yet: 'there was never an admin: npx pesapost role first-admins',
      enough_admins: 'two admins can act, and they decide: npx pesapost role list',
      nobody: 'a typed name cannot announce an admin: npx pesapost login',
      suspended: 'you are suspended: another person announces',
      other_issuer:
        'no one who has a role is at this issuer: set OIDC_ISSUER to the one of the people in npx pesapost role list',
      admin_already: 'the person is an admin already; two others lift a suspension',
      announced_already: 'one announcement waits already: npx pesapost role list',
    } as const satisfies Record<AnnounceRefusal, string>);
  });

/** Announces a new admin if fewer than two can act (PEO-58). The options of `announce` need no subcommand before them. */
export const breakGlass = new Command('break-glass')
  .description('a new admin, if fewer than two can act')
  .addCommand(announce, { isDefault: true })
  .addCommand(stop);
