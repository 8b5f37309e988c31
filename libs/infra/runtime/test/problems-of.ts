import { loadSettings, SettingsError } from '../src/index.js';

/** The problems that prevent a start with these settings. */
export function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
