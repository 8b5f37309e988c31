import { loadSettings, type Settings, SettingsError } from '#infra/runtime';
import { Refused } from './refused.js';

/** @throws Refused with every problem of the settings */
export function settingsOrRefused(): Settings {
  try {
    return loadSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) throw new Refused(error.problems);
    throw error;
  }
}
