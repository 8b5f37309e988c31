import { EventStore } from '#domain/event-sourcing';
import { bindHolder, type HolderBinding } from '#domain/merchants';
import { HoldersInLog } from '#domain/people';
import { Command } from 'commander';
import { withApp } from '../app.js';
import { change, type ChangeOptions, showList, unknownMerchant } from '../operator.js';
import { merchantOption, parseForEver } from '../options.js';
import { propose } from '../propose.js';
import { Refused } from '../refused.js';
import { plainCommand } from './plain-command.js';
import { parseOwnPerson } from './role/role-options.js';

interface BindOptions extends ChangeOptions {
  readonly merchant: string;
  readonly holder: string;
  readonly person?: string;
  readonly system?: string;
}

const bind = change(
  'bind',
  'binds a holder of credentials to a person or system; at a merchant with live accounts it takes two admins',
  'holder bind --merchant M --holder asha --person https://id.example#00u1 --reason "asks by API"',
)
  .addOption(merchantOption)
  .requiredOption('--holder <name>', 'as the credential was issued to', parseForEver)
  .option('--person <issuer#subject>', 'a person', parseOwnPerson)
  .option('--system <name>', 'or a system instead of a person', parseForEver)
  .action(async (options: BindOptions) => {
    const { merchant, holder } = options;
    const details = { merchantId: merchant, binding: bindingOf(options) };
    await propose(bindHolder, details, options, {
      unknown_merchant: unknownMerchant(merchant),
      unknown_holder: `no credential of merchant ${merchant} was issued to ${holder}: npx pesapost credential list --merchant ${merchant}`,
      person_has_holder:
        'this person is another holder of the merchant already: issue the credential to that one',
    });
  });

function bindingOf({ holder, person, system }: BindOptions): HolderBinding {
  if (person !== undefined && system === undefined) return { holder, person };
  if (system !== undefined && person === undefined) return { holder, system };
  throw new Refused(['say who or what the holder is: --person or --system, one of them']);
}

const list = plainCommand(
  'list',
  'lists the bound holders of a merchant',
  'holder list --merchant M',
)
  .addOption(merchantOption)
  .action(async ({ merchant, json }: { readonly merchant: string; readonly json?: true }) => {
    const holders = await withApp((app) =>
      new HoldersInLog(app.get<EventStore>(EventStore)).holdersOf(merchant),
    );
    showList('holders', holders, { ...(json && { json }) });
  });

export const holder = new Command('holder')
  .description('the person or system that each holder of credentials is')
  .addCommand(bind)
  .addCommand(list);
