import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The parts of a service in docker-compose.yml that specs read. */
export interface ComposeService {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly volumes?: readonly string[];
  /** None if the service has no network. */
  readonly networks?:
    readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly ports?: readonly string[];
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, ComposeNetwork | null>>;
}

interface ComposeNetwork {
  readonly internal?: boolean;
  readonly ipam?: { readonly config: readonly [{ readonly subnet: string }] };
}

export const compose = parse(readFileSync('docker-compose.yml', 'utf8'), {
  merge: true,
}) as Compose;
export const services = Object.entries(compose.services);
/** The services that run PesaPost's own image. */
export const ours = services.filter(([, service]) => service.build !== undefined);

/** The names of the networks that a service is in. */
export function networksOf(name: string): readonly string[] {
  const { networks = [] } = compose.services[name] ?? {};
  return Array.isArray(networks) ? (networks as string[]) : Object.keys(networks);
}

/** The fixed address of a service in a network, if it has one. */
export function addressIn(network: string, name: string): string | undefined {
  const { networks = [] } = compose.services[name] ?? {};
  return Array.isArray(networks)
    ? undefined
    : (networks as Record<string, { ipv4_address?: string }>)[network]?.ipv4_address;
}

/** The environment that Compose gives to a service. */
export function environmentIn(name: string): Record<string, string> {
  const given = Object.entries(compose.services[name]?.environment ?? {});
  return Object.fromEntries(given.map(([key, value]) => [key, interpolated(value)]));
}

/** A sample of every variable that a person must set in .env. */
export const dotEnv: Readonly<Record<string, string>> = {
  BASE_URL: 'https://pay.example.com',
  EVENTSTORE_ADMIN_PASSWORD: 'a',
  EVENTSTORE_PASSWORD: 'e',
  POSTGRES_PASSWORD: 'p',
  POSTGRES_OWNER_PASSWORD: 'o',
  POSTGRES_SUPERUSER_PASSWORD: 's',
  REDIS_PASSWORD: 'r',
  MASTER_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

/** Follows the rules of Compose for `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$`. */
export function interpolated(value: string): string {
  return value
    .replace(
      /(?<!\$)\$\{([A-Z0-9_]+)(?::([-?])([^}]*))?\}/g,
      (_whole, name: string, kind, rest) => {
        const given = dotEnv[name];
        if (given === undefined && kind === '?') throw new Error(`${name} is required`);
        return given ?? (kind === '-' ? String(rest) : '');
      },
    )
    .replaceAll('$$', '$');
}
