/** A clock for tests that is another than the machine's: Debian's faketime, preloaded into each process of a run. */
import { spawnSync } from 'node:child_process';

/** Past every date that a spec names, and past a year's end. */
const shift = '+400d';
const installDeadlineMs = 300_000;

/**
 * Installs faketime where it is missing and may be installed.
 * @returns {Record<string, string> | undefined} the environment that shifts a process's clock; undefined where there is none
 */
export function shiftedClock() {
  return environment() ?? (install() ? environment() : undefined);
}

function environment() {
  const { status, stdout } = spawnSync('faketime', ['-m', '-f', shift, 'printenv', 'LD_PRELOAD'], {
    encoding: 'utf8',
  });
  if (status !== 0 || stdout.trim() === '') return undefined;
  // Timers go on by the monotonic clock, which stays what it is: deadlines are as long as ever.
  return { LD_PRELOAD: stdout.trim(), FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** By apt, where we are root: nobody is asked for a password by a test. */
function install() {
  if (process.getuid?.() !== 0) return false;
  return [['update'], ['install', '-y', '--no-install-recommends', 'faketime']].every(
    (step) =>
      spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...step], {
        timeout: installDeadlineMs,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      }).status === 0,
  );
}
