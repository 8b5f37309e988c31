import { buildOf } from '#infra/runtime';
import { Command } from 'commander';
import { audit } from './commands/audit/audit.js';
import { account } from './commands/account.js';
import { checkout } from './commands/checkout.js';
import { correction } from './commands/correction/correction.js';
import { credential } from './commands/credential.js';
import { demo } from './commands/demo.js';
import { fee } from './commands/fee.js';
import { destinations } from './commands/destinations.js';
import { limits } from './commands/limits.js';
import { payout } from './commands/payout/payout.js';
import { holder } from './commands/holder.js';
import { hosts } from './commands/hosts.js';
import { ipList } from './commands/ip-list.js';
import { evidence } from './commands/evidence/evidence.js';
import { keys } from './commands/keys/keys.js';
import { login, logout, whoami } from './commands/login.js';
import { merchant } from './commands/merchant.js';
import { projection } from './commands/projection/projection.js';
import { rail } from './commands/rail/rail.js';
import { role } from './commands/role/role.js';
import { session } from './commands/session.js';
import { replay } from './commands/replay/replay.js';
import { reconcile } from './commands/reconcile/reconcile.js';
import { review } from './commands/review/review.js';
import { balance } from './commands/balance.js';
import { drill } from './commands/drill/drill.js';
import { events } from './commands/events.js';
import { find } from './commands/find.js';
import { history } from './commands/history.js';
import { pending } from './commands/pending.js';
import { show } from './commands/show.js';
import { statement } from './commands/statement.js';
import { status } from './commands/status.js';
import { v3 } from './commands/v3/v3.js';
import { webhook } from './commands/webhook/webhook.js';
import { migrate } from './commands/migrate.js';
import { verify } from './commands/verify.js';
import { settleWhoActs } from './identity.js';
import { unwrapMasterKeys } from './settings.js';

/** The program with every command. A wrong usage throws. */
export const program = new Command('pesapost')
  .description('Commands for operators. Each change is an event that records who made it and why.')
  .version(buildOf(), '--version', 'the release and its build')
  .exitOverride()
  .enablePositionalOptions()
  .showHelpAfterError('all commands: npx pesapost --help')
  .hook('preAction', async (_program, command) => {
    await unwrapMasterKeys();
    await settleWhoActs(command);
  })
  .configureHelp({ showGlobalOptions: true });
for (const command of [
  merchant,
  account,
  credential,
  fee,
  limits,
  destinations,
  hosts,
  holder,
  ipList,
  checkout,
  payout,
  webhook,
  review,
  correction,
  reconcile,
  rail,
  show,
  history,
  balance,
  events,
  statement,
  find,
  pending,
  status,
  migrate,
  verify,
  audit,
  drill,
  projection,
  replay,
  evidence,
  keys,
  role,
  session,
  v3,
  demo,
  login,
  logout,
  whoami,
])
  program.addCommand(inheriting(command, 'npx pesapost'));

/**
 * Makes each subcommand throw usage errors as well, and say where its options go. Each command takes the options after
 * its own name, so that a command with subcommands does not take theirs.
 */
function inheriting(command: Command, parent: string): Command {
  const words = `${parent} ${command.name()}`;
  command
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError(`how it is used: ${words} --help`);
  for (const each of command.commands) inheriting(each, words);
  return command;
}
