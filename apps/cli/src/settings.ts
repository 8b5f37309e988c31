import { loadSettings, type Settings, SettingsError, sharedSettings } from '#infra/runtime';
import { Refused } from './refused.js';
import { runOf } from './run-file.js';

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
