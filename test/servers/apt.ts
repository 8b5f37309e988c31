import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One at a time: an update may delete files that another install has just downloaded. */
const lock = '/tmp/pesapost-apt.lock';
const apt = 'apt-get -o DPkg::Lock::Timeout=120';

/**
 * Installs a package of the system, if it has apt and the user is root.
 * @throws Error if it has not, or if nothing was installed in time
 */
export async function installByApt(name: string, timeout: number): Promise<void> {
  const steps = `${apt} update && ${apt} install -y --no-install-recommends ${name}`;
  await promisify(execFile)('flock', [lock, 'sh', '-c', steps], {
    timeout,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
