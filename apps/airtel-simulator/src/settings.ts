import { type CommonSettings, type ReadSettings, SettingsReader } from '#shared/simulator';

/** All settings of the simulator. */
export interface Settings extends CommonSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The PIN of the wallet that pays out. */
  readonly pin: string;
  /** The portal's private key, with which callbacks are hashed. */
  readonly callbackKey: string;
  /** The address of callbacks until the portal sets another one; undefined if none are sent. */
  readonly callbackUrl: string | undefined;
  readonly callbackHash: 'transaction' | 'body' | 'none';
}

/** Reads the settings once. No other code reads the environment. */
export function readSettings(
  given: Readonly<Record<string, string | undefined>>,
): ReadSettings<Settings> {
  const reader = new SettingsReader(given);
  const text = (name: string, otherwise: string, rule: RegExp): string =>
    reader.text(`SIMULATOR_AIRTEL_${name}`, otherwise, rule);
  return reader.result({
    ...reader.common({
      port: ['SIMULATOR_AIRTEL_PORT', '8098'],
      directory: ['SIMULATOR_AIRTEL_DIR', 'airtel-simulator'],
    }),
    clientId: text('CLIENT_ID', 'simulator-client', /^\S+$/),
    clientSecret: text('CLIENT_SECRET', 'simulator-secret', /^\S+$/),
    pin: text('PIN', '1234', /^\d{4,8}$/),
    callbackKey: text('CALLBACK_KEY', 'simulator-callback-key', /^\S+$/),
    callbackUrl: text('CALLBACK_URL', '', /^(?:https?:\/\/\S+)?$/) || undefined,
    callbackHash: text(
      'CALLBACK_HASH',
      'transaction',
      /^(?:transaction|body|none)$/,
    ) as Settings['callbackHash'],
  });
}
