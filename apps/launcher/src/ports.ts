import { type Settings } from '#infra/runtime';
import { StartRefused } from './refusal.js';
import { freePort, isFree } from '#infra/local-servers';

/** The ports that people and scripts know, by setting. */
export interface Ports {
  readonly PORT: string;
  readonly ADMIN_PORT: string;
  readonly SIMULATOR_PORT: string;
  readonly SIMULATOR_AIRTEL_PORT: string;
}

/** The simulators that run. */
export interface Simulators {
  readonly daraja: boolean;
  readonly airtel: boolean;
}

/** The address of the public port under `npm start`, unless HOST says otherwise (OPS-30). */
export const loopback = '127.0.0.1';

/**
 * Finds a free port for each that is 0, and checks that the others are free.
 * @param simulators a simulator that does not run has its port not checked
 * @throws StartRefused that names the setting whose port is taken
 */
export async function choosePorts(settings: Settings, simulators: Simulators): Promise<Ports> {
  const { simulatorPort, simulatorAirtelPort } = settings;
  const wanted = {
    PORT: { port: settings.port, host: settings.host ?? loopback },
    ADMIN_PORT: { port: settings.adminPort, host: settings.adminHost },
    ...(simulators.daraja && { SIMULATOR_PORT: { port: simulatorPort, host: '127.0.0.1' } }),
    ...(simulators.airtel && {
      SIMULATOR_AIRTEL_PORT: { port: simulatorAirtelPort, host: '127.0.0.1' },
    }),
  };
  const chosen = {
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_AIRTEL_PORT: String(simulatorAirtelPort),
  } as Record<keyof Ports, string>;
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
