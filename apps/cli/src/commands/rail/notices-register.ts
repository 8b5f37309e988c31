import { NoticeRails, type Registration } from '#edges/rails';
import { type Mode } from '#domain/kernel';
import { RecordNoticeAddresses, type WhenSilent } from '#domain/rails';
import { Database } from '#infra/postgres';
import { registerTokenKey } from '#records/keys';
import { Keyring } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Option } from 'commander';
import { withApp } from '../../app.js';
import { change, type ChangeOptions, operatorMetadata } from '../../operator.js';
import { modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { withRails } from '../../rail-app.js';
import { Refused } from '../../refused.js';
import { railChannel } from './channel.js';

interface RegisterOptions extends ChangeOptions {
  readonly mode: Mode;
  readonly whenSilent: WhenSilent;
}

export const noticesRegister = change(
  'register',
  'gives the rail the addresses for notices; M-Pesa takes them once, and its sandbox any number of times',
  'rail notices register --mode live --when-silent complete --reason "pay bill payments"',
)
  .addOption(modeOption)
  .addOption(
    new Option(
      '--when-silent <what>',
      'the fate of a payment if the rail asks before it takes one and gets no answer',
    )
      .choices(['complete', 'cancel'])
      .default('complete'),
  )
  .action(async (options: RegisterOptions) => {
    await withApp(async (app) => {
      const { mode, whenSilent } = options;
      await registerTokenKey(app.get(Database), app.get(Keyring).currentKeyId);
      const registration = await withRails((rails) =>
        rails.get(NoticeRails).register({ channel: railChannel, mode, whenSilent }),
      );
      await record(app, options, registration);
    });
  });

const refusals: Readonly<Record<Exclude<Registration['kind'], 'registered' | 'refused'>, string>> =
  {
    registered_before:
      'M-Pesa has addresses for this short code already. If they are not this installation’s, delete them in M-Pesa’s portal (Self Services, URL Management), then register again. If they are, a payment of KES 1 shows it',
    unfit_address:
      'BASE_URL contains a word that M-Pesa refuses in an address: mpesa, safaricom, exe, cmd, sql or query',
    not_configured:
      'this mode has no rail that sends notices: set the settings RAIL_MPESA_<mode>_*',
    not_asked: 'M-Pesa was not reached, and nothing was registered: try again in a minute',
    unanswered:
      'M-Pesa gave no readable answer. It may have taken the addresses: try again, and if it says that it has some, pay KES 1 to see if they work',
  };

/** Records the addresses once the rail has them. */
async function record(
  app: INestApplicationContext,
  options: RegisterOptions,
  registration: Registration,
): Promise<void> {
  if (registration.kind === 'refused')
    throw new Refused([`M-Pesa refused the addresses: ${registration.code}`]);
  if (registration.kind !== 'registered') throw new Refused([refusals[registration.kind]]);
  const { mode, whenSilent } = options;
  const { shortCode, keyId } = registration;
  const registered = { channel: railChannel, mode, shortCode, keyId, whenSilent };
  await app
    .get(CommandBus)
    .execute(new RecordNoticeAddresses(registered, operatorMetadata(options)));
  if (options.json) printJson({ mode, short_code: shortCode, when_silent: whenSilent });
  else
    printLines([
      `registered for ${shortCode}: payments without a push are reported from now on`,
      `keep master key ${keyId} in MASTER_KEY for as long as M-Pesa has these addresses`,
    ]);
}
