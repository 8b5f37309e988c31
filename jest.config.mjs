const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: {
        target: 'es2023',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true },
      },
      module: { type: 'es6' },
      sourceMaps: true,
    },
  ],
};

/** Every project runs TypeScript sources directly: `#domain/ledger` resolves to libs/domain/ledger/src by the `source` condition. */
const common = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
  roots: ['<rootDir>/apps', '<rootDir>/bench', '<rootDir>/libs', '<rootDir>/test'],
};

export default {
  // A busy machine takes this long for a test that starts processes; a test that needs longer names its own limit.
  testTimeout: 300_000,
  // A worker whose heap has grown to a gigabyte takes more than jest's half a second to free it. Jest would end it by
  // force and report a test that leaks.
  workerGracefulExitTimeout: 30_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testRegex: '(?<!\\.(int|e2e))\\.spec\\.ts$',
    },
    {
      ...common,
      displayName: 'integration',
      testRegex: '\\.int\\.spec\\.ts$',
      globalSetup: '<rootDir>/test/servers/start.mjs',
      globalTeardown: '<rootDir>/test/servers/stop.mjs',
    },
    {
      ...common,
      displayName: 'e2e',
      testRegex: '(?<!/test/(faults|invariants)/.*)\\.e2e\\.spec\\.ts$',
      globalSetup: '<rootDir>/test/servers/start.mjs',
      globalTeardown: '<rootDir>/test/servers/stop.mjs',
    },
    {
      ...common,
      displayName: 'faults',
      testRegex: '/test/(faults|invariants)/.*\\.e2e\\.spec\\.ts$',
      globalSetup: '<rootDir>/test/servers/start.mjs',
      globalTeardown: '<rootDir>/test/servers/stop.mjs',
    },
  ],
};
