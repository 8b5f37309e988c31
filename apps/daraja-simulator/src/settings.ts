import { type CommonSettings, type ReadSettings, SettingsReader } from '#shared/simulator';

/** All settings of the simulator. A late answer is that to 254700000015. */
export interface Settings extends CommonSettings {
  readonly shortcode: string;
  readonly passkey: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** The sender of payouts. */
  readonly b2cShortcode: string;
  readonly initiator: string;
  readonly securityCredential: string;
}

/** Reads the settings once. No other code reads the environment. */
export function readSettings(
  given: Readonly<Record<string, string | undefined>>,
): ReadSettings<Settings> {
  const reader = new SettingsReader(given);
  return reader.result({
    ...reader.common({
      port: ['SIMULATOR_PORT', '8099'],
      directory: ['SIMULATOR_DIR', 'daraja-simulator'],
    }),
    shortcode: reader.text('SIMULATOR_SHORTCODE', '174379', /^\d{5,7}$/),
    passkey: reader.text('SIMULATOR_PASSKEY', 'simulator-passkey', /^\S+$/),
    consumerKey: reader.text('SIMULATOR_CONSUMER_KEY', 'simulator-key', /^[^\s:]+$/),
    consumerSecret: reader.text('SIMULATOR_CONSUMER_SECRET', 'simulator-secret', /^\S+$/),
    b2cShortcode: reader.text('SIMULATOR_B2C_SHORTCODE', '600000', /^\d{5,8}$/),
    initiator: reader.text('SIMULATOR_INITIATOR', 'simulator-initiator', /^\S+$/),
    securityCredential: reader.text(
      'SIMULATOR_SECURITY_CREDENTIAL',
      'simulator-credential',
      /^\S+$/,
    ),
  });
}
