import { type Settings } from '#infra/runtime';
import { StartRefused } from './refusal.js';
import { freePort, isFree } from '#infra/local-servers';

/** The ports that people and scripts know, by setting. */
export interface Ports {
  readonly PORT: string;
  readonly ADMIN_PORT: string;
  readonly SIMULATOR_PORT: string;
}

/** The address of the public port under `npm start`, unless HOST says otherwise (OPS-30). */
export const loopback = '127.0.0.1';

/**
 * Finds a free port for each that is 0, and checks that the others are free.
 * @param withSimulator true if the simulator is to run; else its port is not checked
 * @throws StartRefused that names the setting whose port is taken
 */
export async function choosePorts(settings: Settings, withSimulator: boolean): Promise<Ports> {
  const wanted = {
    PORT: { port: settings.port, host: settings.host ?? loopback },
    ADMIN_PORT: { port: settings.adminPort, host: settings.adminHost },
    ...(withSimulator && {
      SIMULATOR_PORT: { port: settings.simulatorPort, host: '127.0.0.1' },
    }),
  };
  const chosen = { SIMULATOR_PORT: String(settings.simulatorPort) } as Record<keyof Ports, string>;
  const names = new Map<number, string>();
  for (const [name, { port, host }] of Object.entries(wanted)) {
    chosen[name as keyof Ports] = String(port === 0 ? await freePort() : port);
    if (port === 0) continue;
    const other = names.get(port);
    if (other !== undefined)
      throw new StartRefused(`${name}: ${port} is ${other} already: give each a port of its own`);
    names.set(port, name);
    if (!(await isFree(port, host)))
      throw new StartRefused(
        `${name}: port ${port} is taken by another program: stop it, or set ${name} to another port (0 takes a free one)`,
      );
  }
  return chosen;
}
