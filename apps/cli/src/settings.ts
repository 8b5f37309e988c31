import {
  loadSettings,
  type Settings,
  SettingsError,
  sharedSettings,
  unwrappedEnvironment,
} from '#infra/runtime';
import { Refused } from './refused.js';
import { runOf } from './run-file.js';

/**
 * Has the key service decrypt the keys of MASTER_KEY that it encrypted, before any command reads them.
 * @throws Refused
 */
export async function unwrapMasterKeys(): Promise<void> {
  try {
    const env = await unwrappedEnvironment(process.env);
    if (env === process.env) return;
    process.env['MASTER_KEY'] = env['MASTER_KEY'];
    delete process.env['MASTER_KEY_FILE'];
  } catch (error) {
    if (error instanceof SettingsError) throw new Refused(error.problems);
    throw error;
  }
}

/**
 * The environment's settings. If the environment does not set one that the service must share, the running `npm start`
 * provides it (OPS-10).
 * @throws Refused with every problem of the settings
 */
export function settingsOrRefused(): Settings {
  try {
    const own = loadSettings(process.env);
    const shared = sharedSettings(runOf(own)?.settings ?? {});
    return loadSettings({ ...process.env, ...shared, ...sharedSettings(process.env) });
  } catch (error) {
    if (error instanceof SettingsError) throw new Refused(error.problems);
    throw error;
  }
}
