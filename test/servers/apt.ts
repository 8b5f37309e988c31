import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** One at a time: what an update clears away, another's install may just have fetched. */
const lock = '/tmp/pesapost-apt.lock';
const apt = 'apt-get -o DPkg::Lock::Timeout=120';

/**
 * Installs a package of the system, where it has apt and we are root.
 * @throws Error where it has not, or where nothing was installed in time
 */
export async function installByApt(name: string, timeout: number): Promise<void> {
  const steps = `${apt} update && ${apt} install -y --no-install-recommends ${name}`;
  await promisify(execFile)('flock', [lock, 'sh', '-c', steps], {
    timeout,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
