import {
  hasLiveRail,
  databaseServerUrl,
  defaultCommandLineClient,
  givenSettings,
  loadSettings,
  Metrics,
  type Settings,
  sharedSettings,
  unwrappedEnvironment,
} from '#infra/runtime';
import { startLauncherAdmin } from './admin/admin-server.js';
import { appProcesses, childApps } from './children/apps.js';
import { Beats } from './children/beats.js';
import { childEnvironment, type Environment, type ServerUrls } from './children/environment.js';
import { endLeftOverChildren } from './children/node-child.js';
import { Processes } from './children/processes.js';
import {
  boundLog,
  DataDirectory,
  lockDataDirectory,
  removeRunFile,
  type RunIssuer,
  writeRunFile,
} from './data-directory/data-directory.js';
import { masterKeyOf } from './data-directory/master-key.js';
import { sealKeyOf } from './data-directory/seal-key.js';
import { airtelRailEnvironment, airtelSimulator, airtelSimulatorUrl } from './demo/airtel-rail.js';
import { type DemoIdentity, demoIdentity, demoStepUpAcr } from './demo/demo-people.js';
import { demonstrate } from './demo/demonstrate.js';
import { readDemoFile } from './demo/demo-file.js';
import { DemoReceiver } from './demo/webhook-receiver.js';
import { choosePorts, type Simulators } from './ports.js';
import { freePort, isFree } from '#infra/local-servers';
import { prepareDatabase } from './prepare-database.js';
import { requireEventStore } from './require-event-store.js';
import { embeddedEventStore, embeddedPostgres, embeddedRedis } from './embedded-servers.js';

export interface LauncherOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted if the start is given up. */
  readonly signal: AbortSignal;
  /** Shows a line to the person at the terminal. */
  readonly say: (line: string) => void;
}

const logLookMs = 5000;
/** Longer than a check may take, so that checks do not overlap. */
const childLookMs = 6000;

/** Everything that `npm start` runs, from an empty machine to a posted collection, and the way back. */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #metrics = new Metrics();
  readonly #processes: Processes;
  /** Steps of the clean-up after the processes have ended, last first. */
  readonly #undo: (() => Promise<unknown>)[] = [];
  /** Called before the processes stop: a child that shuts down must not look frozen. */
  #stopWatching: () => void = () => undefined;
  #beats: Beats | undefined;

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#processes = new Processes(options.say, options.signal, this.#metrics);
  }

  /**
   * @returns the base URL, once everything runs and one demo collection is done
   * @throws StartRefused, SettingsError, ServerError or ForeignMasterKey, with a message for people; `stop` undoes the
   * steps until then
   */
  async start(): Promise<string> {
    const { signal, say } = this.#options;
    const env = await unwrappedEnvironment(this.#options.env);
    const wanted = loadSettings(env);
    const directory = await DataDirectory.open(wanted.dataDir);
    this.#undo.push(await lockDataDirectory(directory));
    await endLeftOverChildren(directory, childApps);
    const simulators = {
      daraja: (env['RAIL_MPESA_DEMO_URL'] ?? '').trim() === '',
      airtel: wanted.rails.airtel.demo === undefined,
    };
    const ports = await choosePorts(wanted, simulators);
    const settings = loadSettings({ ...env, ...ports });
    this.#boundLogs();

    say(`starting PesaPost in ${directory.path} …`);
    if (settings.eventstoreUrl !== undefined) await requireEventStore(settings.eventstoreUrl);
    const masterKey = await masterKeyOf(directory, givenSettings(env, [])['MASTER_KEY']);
    const [urls, identity] = await Promise.all([
      this.#startServers(directory, settings, simulators),
      this.#identity(directory, settings),
    ]);
    await prepareDatabase(settings, urls.database, masterKey);
    const dataDir = directory.path;
    const sealKey = await sealKeyOf(directory, settings.auditSealKey);
    const secrets = { masterKey: masterKey.text, sealKey };
    const environment = {
      ...childEnvironment({ settings, dataDir, ...secrets, urls }),
      ...(simulators.airtel && (await airtelRailEnvironment(airtelSimulatorUrl(settings)))),
    };
    await writeRunFile(directory, urls, {
      allowPrivate: environment['WEBHOOK_ALLOW_PRIVATE'] === 'on',
      issuer: issuerOfRun(identity, settings),
      settings: {
        ...sharedSettings(env),
        EMBEDDED_SERVERS: environment['EMBEDDED_SERVERS'] ?? '',
        BASE_URL: environment['BASE_URL'] ?? '',
        SIMULATOR_PORT: environment['SIMULATOR_PORT'] ?? '',
      },
    });
    this.#undo.push(() => removeRunFile(directory));

    const receiver = await this.#startReceiver(directory, settings);
    const given = { directory, settings, environment, simulators, identity };
    await this.#startApps(given);
    this.#beats = Beats.start({
      databaseUrl: urls.database,
      adminPort: settings.adminPort,
      processes: this.#processes,
      metrics: this.#metrics,
    });
    await demonstrate({ ...given, receiver, signal, say });
    return settings.baseUrl;
  }

  /** Stops accepting requests, waits for those in flight, stops everything and releases the directory. */
  async stop(): Promise<void> {
    this.#stopWatching();
    await this.#beats?.stop();
    await this.#processes.stopAll();
    for (const undo of this.#undo.splice(0).reverse()) await undo();
  }

  /** Starts the servers that no setting names, and the Airtel simulator, whose key the rail's settings need. */
  async #startServers(
    directory: DataDirectory,
    settings: Settings,
    simulators: Simulators,
  ): Promise<ServerUrls> {
    const onInstall = (what: string): void => {
      this.#options.say(`Redis is missing: ${what} …`);
    };
    const { eventstoreUrl, redisUrl } = settings;
    // The processes of one machine need no pooler.
    const databaseUrl = databaseServerUrl(settings);
    const eventstore = eventstoreUrl ?? (await embeddedEventStore(directory));
    const database = databaseUrl ?? (await embeddedPostgres(directory));
    const redis = redisUrl ?? (await embeddedRedis(directory, onInstall));
    const servers = [eventstore, database, redis].filter((server) => typeof server !== 'string');
    await this.#processes.startAll([
      ...servers.map(({ process }) => process),
      ...(simulators.airtel ? [airtelSimulator(directory, settings)] : []),
    ]);
    const urlOf = (server: typeof eventstore): string =>
      typeof server === 'string' ? server : server.url();
    return { eventstore: urlOf(eventstore), database: urlOf(database), redis: urlOf(redis) };
  }

  /** Returns the demo's own people if no issuer is set; never together with live rails. */
  async #identity(
    directory: DataDirectory,
    { oidc, rails, portalUrl }: Settings,
  ): Promise<DemoIdentity | undefined> {
    if (oidc !== undefined || hasLiveRail(rails)) return undefined;
    return demoIdentity(directory, `${portalUrl}/portal`);
  }

  async #startApps(options: {
    readonly directory: DataDirectory;
    readonly settings: Settings;
    readonly environment: Environment;
    readonly simulators: Simulators;
    readonly identity: DemoIdentity | undefined;
  }): Promise<void> {
    await this.#processes.startAll(await appProcesses(options));
    const { adminHost, adminPort } = options.settings;
    const admin = await startLauncherAdmin({
      host: adminHost,
      port: adminPort,
      monitored: this.#processes.monitored,
      metrics: this.#metrics,
    });
    this.#undo.push(() => admin.close());
    const watching = setInterval(() => void this.#processes.lookOnce(), childLookMs);
    this.#stopWatching = () => {
      clearInterval(watching);
    };
  }

  /** Uses the port of the last start if it is free, so that the endpoint's URL stays the same. */
  async #startReceiver(directory: DataDirectory, settings: Settings): Promise<DemoReceiver> {
    const { webhook_receiver_url: before, v4 } = await readDemoFile(directory);
    const known = before !== undefined && URL.canParse(before) ? Number(new URL(before).port) : 0;
    const port = known > 0 && (await isFree(known)) ? known : await freePort();
    const now = () => Date.now() + settings.clockOffsetMs;
    const receiver = await DemoReceiver.start({ port, now, say: this.#options.say });
    this.#undo.push(() => receiver.close());
    if (v4?.webhook_secret !== undefined) receiver.useSecret(v4.webhook_secret);
    return receiver;
  }

  #boundLogs(): void {
    const timer = setInterval(() => {
      for (const file of this.#processes.logFiles) void boundLog(file).catch(() => undefined);
    }, logLookMs);
    this.#undo.push(() => {
      clearInterval(timer);
      return Promise.resolve();
    });
  }
}

/**
 * Returns the demo's own provider, with a token of the machine's owner; else the configured issuer, at which people
 * sign in.
 */
function issuerOfRun(
  identity: DemoIdentity | undefined,
  { oidc }: Settings,
): RunIssuer | undefined {
  if (identity)
    return {
      url: identity.issuer,
      clientId: defaultCommandLineClient,
      stepUpAcr: demoStepUpAcr,
      ownerToken: identity.ownerToken,
    };
  if (!oidc) return undefined;
  const { issuer: url, commandLineClientId: clientId, stepUpAcr } = oidc;
  return { url, clientId, stepUpAcr };
}
