/**
 * The arrows of the house. A room's only door is its src/index.ts; a folder's place tells what it may import.
 * Each rule names the rooms that stand on the left and what they must not reach.
 */
const lib = (names) => `^libs/(${names})/`;

const subjects = 'collections|corrections|payouts|merchants|v3-retirement';

/** What each room may import, besides itself and npm packages. Anything else is an error. */
const allowed = {
  kernel: '',
  'event-sourcing': 'kernel',
  ledger: 'kernel|event-sourcing',
  collections: 'kernel|event-sourcing|ledger|payouts|merchants',
  corrections: 'kernel|event-sourcing|ledger|collections|merchants',
  payouts: 'kernel|event-sourcing|ledger|collections|merchants',
  merchants: 'kernel|event-sourcing|ledger|collections|payouts',
  'v3-retirement': `kernel|event-sourcing|ledger|merchants`,
  'read-models': `kernel|event-sourcing|ledger|${subjects}|postgres|runtime`,
  signing: 'kernel',
  http: 'kernel|signing|runtime',
  openapi: 'http',
  // What both of V3's edges pass; goes away with them.
  'v3-gate': 'kernel|v3-retirement|read-models|signing|http|postgres|redis|runtime',
  'api-v4': `kernel|event-sourcing|ledger|${subjects}|read-models|signing|http|openapi|postgres|redis|runtime`,
  'api-v3': `v3-gate|kernel|event-sourcing|ledger|${subjects}|read-models|signing|http|postgres|redis|runtime`,
  // The one room that sees an edge from outside: it documents it.
  'api-docs': 'kernel|signing|http|openapi|api-v4',
  checkout: `v3-gate|kernel|event-sourcing|ledger|${subjects}|read-models|signing|http|postgres|redis|runtime`,
  'rail-mpesa': `kernel|event-sourcing|ledger|${subjects}|read-models|signing|http|postgres|redis|runtime`,
  webhooks: `kernel|event-sourcing|ledger|${subjects}|read-models|signing|http|postgres|redis|runtime`,
  eventstoredb: 'kernel|event-sourcing|runtime',
  // The subjects' ports that the records answer (PhoneVault, UniqueNames, CredentialSecrets): see docs/adr.
  postgres: 'kernel|event-sourcing|collections|merchants|signing|runtime',
  redis: 'kernel|runtime',
  runtime: 'kernel',
  sdk: '',
};

/** Specs, and what those of a room share: neither is built. */
const specs = ['\\.spec\\.ts$', '^libs/[^/]+/test/'];

const roomRules = Object.entries(allowed).map(([room, may]) => ({
  name: `${room}-imports`,
  comment: `libs/${room} may import: ${may === '' ? 'no other room' : may.replaceAll('|', ', ')}`,
  severity: 'error',
  from: { path: `^libs/${room}/`, pathNot: specs },
  to: { path: '^(libs|apps)/', pathNot: lib(may === '' ? room : `${room}|${may}`) },
}));

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolved',
      comment: 'the servers of the tests are started from dist, which need not exist yet',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '/dist/' },
    },
    {
      name: 'doors-only',
      comment: 'another room is entered through its src/index.ts',
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: { path: '^libs/[^/]+/', pathNot: ['^libs/[^/]+/src/index\\.ts$', '^$1/$2/'] },
    },
    {
      name: 'apps-stand-alone',
      comment: 'an app is nobody else’s library',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'nothing-imports-the-simulation',
      comment: 'planted bugs live there, and must never be reached by the service',
      severity: 'error',
      from: { path: '^(libs|apps|bench)/' },
      to: { path: '^simulation/' },
    },
    {
      name: 'simulation-imports-doors-only',
      severity: 'error',
      from: { path: '^simulation/' },
      to: {
        path: '^(libs|apps)/',
        pathNot:
          '^libs/(kernel|event-sourcing|ledger|collections|corrections|merchants|rail-mpesa|read-models|postgres|runtime|signing)/src/index\\.ts$',
      },
    },
    {
      name: 'simulator-reads-daraja-on-its-own',
      severity: 'error',
      from: { path: '^apps/daraja-simulator/' },
      to: { path: lib('rail-mpesa') },
    },
    {
      name: 'embedded-store-knows-only-the-protocol',
      severity: 'error',
      from: { path: '^apps/embedded-eventstore/' },
      to: { path: lib('eventstoredb') },
    },
    {
      name: 'adapter-of-the-log-in-apps-only',
      severity: 'error',
      from: { path: '^libs/', pathNot: ['^libs/(eventstoredb|testing)/', '\\.spec\\.ts$'] },
      to: { path: lib('eventstoredb') },
    },
    {
      name: 'testing-from-specs-only',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [...specs, '^libs/testing/'] },
      to: { path: '^(libs/testing|test)/' },
    },
    {
      name: 'subjects-are-pure',
      comment: 'no npm package but Nest’s decorators and bus, no Node module',
      severity: 'error',
      from: { path: lib(`kernel|event-sourcing|ledger|${subjects}`), pathNot: specs },
      to: {
        dependencyTypes: ['npm', 'core'],
        pathNot: 'node_modules/(@nestjs/(common|cqrs)|uuid)/',
      },
    },
    {
      name: 'nest-in-command-handler-and-module-files-only',
      severity: 'error',
      from: {
        path: lib(subjects),
        pathNot: ['\\.(command|handler|module|query)\\.ts$', '\\.spec\\.ts$'],
      },
      to: { path: 'node_modules/@nestjs/' },
    },
    ...roomRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json'],
    },
  },
};
