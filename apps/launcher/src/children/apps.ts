import { type Settings } from '#infra/runtime';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { freePort } from '#infra/local-servers';
import { type DemoIdentity, demoStepUpAcr, portalClientId } from '../demo/demo-people.js';
import { type Environment, darajaEnvironment } from './environment.js';
import { type Simulators } from '../ports.js';
import { type NodeChildOptions, startNodeChild } from './node-child.js';
import { answersHttp } from './probe.js';
import { described, type ProcessOptions, type Stage } from './processes.js';

/** The apps that run as children. A start looks for processes of each that an earlier run left. */
export const childApps = [
  'api',
  'projector',
  'worker',
  'daraja-simulator',
  'airtel-simulator',
  'embedded-eventstore',
  'identity-provider',
] as const;

/** Added to a child's own deadline for requests in flight. */
const killMarginMs = 1000;
const requestMarginMs = 5000;
/** The worker and the projector end by themselves after 10 s. */
const stopWaitMs = 15_000;
/** A running child answers its check within this time. */
const lookDeadlineMs = 5000;

export interface AppsOptions {
  readonly directory: DataDirectory;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly simulators: Simulators;
  /** Absent if people sign in elsewhere. */
  readonly identity: DemoIdentity | undefined;
}

/**
 * The API, the projector and the worker; and the Daraja simulator and the identity provider if the demo has its own.
 * The Airtel simulator starts earlier, because the others' settings need a key of it.
 */
export async function appProcesses(options: AppsOptions): Promise<readonly ProcessOptions[]> {
  const { directory, environment, settings, simulators, identity } = options;
  const issuer = identity && issuerEnvironment(identity);
  const ofApi = { ...options, environment: { ...options.environment, ...issuer } };
  const origin = `http://127.0.0.1:${settings.port}/`;
  const { drainDelayMs = 0, railPushTimeoutMs } = settings;
  const inFlightMs = drainDelayMs + railPushTimeoutMs + requestMarginMs + killMarginMs;
  const [api, projector, worker] = await Promise.all([
    administered(ofApi, { app: 'api', heapMb: 320, stopWaitMs: inFlightMs }, 'requests', origin),
    administered(options, { app: 'projector', heapMb: 320, stopWaitMs }, 'background work'),
    administered(options, { app: 'worker', heapMb: 256, stopWaitMs }, 'background work'),
  ]);
  return [
    ...[api, projector, worker],
    ...(simulators.daraja
      ? [
          simulatorProcess(directory, {
            app: 'daraja-simulator',
            port: settings.simulatorPort,
            env: { ...environment, ...darajaEnvironment(settings) },
          }),
        ]
      : []),
    ...(identity ? [identityProvider(options, identity)] : []),
  ];
}

/** An app with an admin server of its own, on a port that stays over restarts. */
async function administered(
  { directory, environment }: AppsOptions,
  child: Pick<NodeChildOptions, 'app' | 'heapMb' | 'stopWaitMs'>,
  stage: Stage,
  origin?: string,
): Promise<ProcessOptions> {
  const port = await freePort();
  const adminUrl = `http://127.0.0.1:${port}`;
  const env = { ...environment, ADMIN_HOST: '127.0.0.1', ADMIN_PORT: String(port) };
  const ready = async () => {
    await answersHttp(`${adminUrl}/health/live`);
    if (origin !== undefined) await answersHttp(origin);
  };
  return {
    ...described(directory, child.app, stage),
    adminUrl,
    look: () => answersHttp(`${adminUrl}/health/live`, lookDeadlineMs),
    start: (signal) => startNodeChild(directory, { ...child, env, ready }, signal),
  };
}

/** A simulator of a rail, on loopback. */
export function simulatorProcess(
  directory: DataDirectory,
  { app, port, env }: { readonly app: string; readonly port: number; readonly env: Environment },
): ProcessOptions {
  const healthUrl = `http://127.0.0.1:${port}/_health`;
  const child = {
    app,
    env: { ...env, SIMULATOR_HOST: '127.0.0.1' },
    heapMb: 192,
    ready: () => answersHttp(healthUrl),
    stopWaitMs,
  };
  return {
    ...described(directory, app, 'rail'),
    look: () => answersHttp(healthUrl, lookDeadlineMs),
    start: (signal) => startNodeChild(directory, child, signal),
  };
}

function identityProvider(
  { directory, environment }: AppsOptions,
  { port, file }: DemoIdentity,
): ProcessOptions {
  const app = 'identity-provider';
  // Any answer shows that it runs, even a refusal of this host name, which is not its own.
  const healthUrl = `http://127.0.0.1:${port}/`;
  const child = {
    app,
    env: { ...environment, IDENTITY_PROVIDER_FILE: file },
    heapMb: 64,
    ready: () => answersHttp(healthUrl),
    stopWaitMs,
  };
  return {
    ...described(directory, app, 'servers'),
    look: () => answersHttp(healthUrl, lookDeadlineMs),
    start: (signal) => startNodeChild(directory, child, signal),
  };
}

/** Settings of the API for the embedded identity provider. */
function issuerEnvironment({
  issuer,
  clientSecret,
}: Pick<DemoIdentity, 'issuer' | 'clientSecret'>): Environment {
  return {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: portalClientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_CLIENT_SECRET_FILE: '',
    OIDC_STEP_UP_ACR: demoStepUpAcr.join(' '),
  };
}
