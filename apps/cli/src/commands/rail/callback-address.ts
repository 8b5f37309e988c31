import { Rails } from '#edges/rails';
import { type Mode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { registerTokenKey } from '#records/keys';
import { Keyring } from '#shared/signing';
import { withApp } from '../../app.js';
import { modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { withRails } from '../../rail-app.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';

interface AddressOptions {
  readonly channel: string;
  readonly mode: Mode;
  readonly json?: true;
}

export const callbackAddress = plainCommand(
  'callback-address',
  'prints the address at which a rail calls back about all pushes of a mode, for the rail’s own portal',
  'rail callback-address --channel airtel --mode live',
)
  .option('--channel <name>', 'the rail', 'airtel')
  .addOption(modeOption)
  .action(async ({ channel, mode, json }: AddressOptions) => {
    const address = await withApp(async (app) => {
      // No process may use this key yet, and each must keep callbacks under it (RAIL-5).
      await registerTokenKey(app.get(Database), app.get(Keyring).currentKeyId);
      return withRails((rails) => Promise.resolve(rails.get(Rails).sharedAddress(channel, mode)));
    });
    if (address === undefined)
      throw new Refused([
        `${channel} has no such address in ${mode} mode: set RAIL_${channel.toUpperCase()}_${mode.toUpperCase()}_*; M-Pesa gets an address with each push`,
      ]);
    if (json) printJson({ channel, mode, address });
    else
      printLines([
        address,
        'keep the first key of MASTER_KEY for as long as the rail has this address',
      ]);
  });
