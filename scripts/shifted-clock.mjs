/** A clock for tests that differs from the machine's: Debian's faketime, preloaded into each process of a run. */
import { spawnSync } from 'node:child_process';

/** After every date that a spec names, and in another year. */
const shift = '+400d';
const installDeadlineMs = 300_000;

/**
 * Installs faketime if it is missing and may be installed.
 * @returns {Record<string, string> | undefined} the environment that shifts a process's clock; undefined if there is
 *   none
 */
export function shiftedClock() {
  return environment() ?? (install() ? environment() : undefined);
}

function environment() {
  const { status, stdout } = spawnSync('faketime', ['-m', '-f', shift, 'printenv', 'LD_PRELOAD'], {
    encoding: 'utf8',
  });
  if (status !== 0 || stdout.trim() === '') return undefined;
  // Timers use the monotonic clock, which is not changed, so deadlines keep their length.
  return { LD_PRELOAD: stdout.trim(), FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** Installs with apt, only as root, because a test must not ask for a password. */
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
