import { hasLiveRail, type Settings } from '#infra/runtime';
import { loopback } from '../ports.js';

export type Environment = Readonly<Record<string, string>>;

/** The servers that all children share. */
export interface ServerUrls {
  readonly eventstore: string;
  readonly database: string;
  readonly redis: string;
}

/** The environment that every child gets in addition to the launcher's own. */
export function childEnvironment(given: {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly masterKey: string;
  readonly sealKey: string;
  readonly urls: ServerUrls;
}): Environment {
  const { settings, dataDir, masterKey, sealKey, urls } = given;
  const isLive = hasLiveRail(settings.rails);
  return {
    DATA_DIR: dataDir,
    HOST: settings.host ?? loopback,
    PORT: String(settings.port),
    BASE_URL: settings.baseUrl,
    PORTAL_URL: settings.portalUrl,
    // No load balancer in front has to learn of the stop, and a person waits at the terminal.
    DRAIN_DELAY: `${settings.drainDelayMs ?? 0}ms`,
    SIMULATOR_PORT: String(settings.simulatorPort),
    SIMULATOR_AIRTEL_PORT: String(settings.simulatorAirtelPort),
    // A trial on this machine sends webhooks to this machine.
    WEBHOOK_ALLOW_PRIVATE: (settings.webhookAllowPrivate ?? !isLive) ? 'on' : 'off',
    EMBEDDED_SERVERS: embeddedServers(settings).join(','),
    EVENTSTORE_URL: urls.eventstore,
    // The server itself, without a pooler in front.
    DATABASE_URL: urls.database,
    DATABASE_DIRECT_URL: '',
    REDIS_URL: urls.redis,
    MASTER_KEY: masterKey,
    AUDIT_SEAL_KEY: sealKey,
    // The launcher has read the files already, and a child accepts either a secret or its file.
    EVENTSTORE_URL_FILE: '',
    DATABASE_URL_FILE: '',
    DATABASE_DIRECT_URL_FILE: '',
    REDIS_URL_FILE: '',
    MASTER_KEY_FILE: '',
    AUDIT_SEAL_KEY_FILE: '',
  };
}

/** The servers that no setting names, so that the launcher runs them. */
export function embeddedServers({
  eventstoreUrl,
  databaseUrl,
  redisUrl,
}: Pick<Settings, 'eventstoreUrl' | 'databaseUrl' | 'redisUrl'>): readonly string[] {
  return Object.entries({ eventstore: eventstoreUrl, postgres: databaseUrl, redis: redisUrl })
    .filter(([, url]) => url === undefined)
    .map(([name]) => name);
}

/** The Daraja simulator plays M-Pesa for the merchant, under the names of the demo rail's settings. */
export function darajaEnvironment(settings: Settings): Environment {
  const { shortcode, passkey, consumerKey, consumerSecret, payouts } = settings.rails.mpesa.demo;
  return {
    SIMULATOR_SHORTCODE: shortcode,
    SIMULATOR_PASSKEY: passkey,
    SIMULATOR_CONSUMER_KEY: consumerKey,
    SIMULATOR_CONSUMER_SECRET: consumerSecret,
    ...(payouts && {
      SIMULATOR_B2C_SHORTCODE: payouts.shortcode,
      SIMULATOR_INITIATOR: payouts.initiator,
      SIMULATOR_SECURITY_CREDENTIAL: payouts.securityCredential,
    }),
  };
}
