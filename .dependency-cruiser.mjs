/**
 * The arrows between the layers (docs/adr/0029). A file's folder says what it may import: libs/<layer>/<module>/.
 * A module is entered through its src/index.ts alone.
 */

/** Which layers each layer may import, besides npm packages. */
const layers = {
  domain: 'domain',
  infra: 'domain|infra',
  shared: 'domain|infra|shared',
  views: 'domain|infra|views',
  records: 'domain|infra|shared|views|records',
  desk: 'domain|infra|shared|views|records|desk',
  edges: 'domain|infra|shared|views|records|desk|edges',
  adapters: 'domain|infra|shared|views|records|desk|edges|adapters',
  sdk: 'sdk',
};

const module =
  '(?:libs/(?:(?:domain|views|records|desk|edges|adapters|infra|shared)/)?|apps/)[^/]+/';

/** Specs, and what those of a module share: neither is built. */
const specs = ['\\.spec\\.ts$', `^${module}test/`];

const layerRules = Object.entries(layers).map(([layer, may]) => ({
  name: `${layer}-imports`,
  comment: `libs/${layer} may import: ${may.replaceAll('|', ', ')}`,
  severity: 'error',
  from: { path: `^libs/${layer}/`, pathNot: specs },
  to: { path: '^(libs|apps)/', pathNot: `^libs/(${may})/` },
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
    ...layerRules,
    {
      name: 'entry-points-only',
      comment: 'another module is entered through its src/index.ts',
      severity: 'error',
      from: { path: `^(${module})` },
      to: { path: '^libs/', pathNot: [`^${module}src/index\\.ts$`, '^$1'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'no npm package but Nest’s decorators and bus, no Node module',
      severity: 'error',
      from: { path: '^libs/domain/', pathNot: specs },
      to: {
        dependencyTypes: ['npm', 'core'],
        pathNot: 'node_modules/(@nestjs/(common|cqrs)|uuid)/',
      },
    },
    {
      name: 'nest-in-command-query-and-module-files-only',
      severity: 'error',
      from: {
        path: '^libs/domain/',
        pathNot: ['\\.(command|module|query)\\.ts$', '\\.spec\\.ts$'],
      },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'audit-check-apart-from-verify',
      comment:
        'two readings of the ledger, so that one finds the faults of the other (docs/adr/0056)',
      severity: 'error',
      from: { path: '^libs/adapters/audit/', pathNot: specs },
      to: { path: '^libs/views/(verification|projection)/' },
    },
    {
      name: 'class-validator-at-the-edge',
      comment: 'it checks what callers send; zod describes data of our own (docs/adr/0057)',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^libs/(edges|shared/openapi)/' },
      to: { path: 'node_modules/class-validator/' },
    },
    {
      name: 'edges-apart',
      comment: 'an edge imports no other one, but what stands under several of them',
      severity: 'error',
      from: { path: '^libs/edges/([^/]+)/', pathNot: '^libs/edges/api-docs/' },
      to: { path: '^libs/edges/', pathNot: ['^libs/edges/$1/', '^libs/edges/(v3-gate|rails)/'] },
    },
    {
      name: 'v3-gate-under-v3-only',
      comment: 'goes away with V3',
      severity: 'error',
      from: { path: '^libs/edges/', pathNot: '^libs/edges/(v3-gate|api-v3|checkout)/' },
      to: { path: '^libs/edges/v3-gate/' },
    },
    {
      name: 'rails-under-rails-only',
      severity: 'error',
      from: { path: '^libs/edges/', pathNot: '^libs/edges/(rails|rail-[^/]+)/' },
      to: { path: '^libs/edges/rails/' },
    },
    {
      name: 'docs-of-v4-only',
      severity: 'error',
      from: { path: '^libs/edges/api-docs/' },
      to: { path: '^libs/edges/', pathNot: '^libs/edges/(api-docs|api-v4)/' },
    },
    {
      name: 'event-store-client-in-apps-only',
      severity: 'error',
      from: {
        path: '^libs/',
        pathNot: ['^libs/(infra/eventstoredb|adapters/wiring|testing)/', ...specs],
      },
      to: { path: '^libs/infra/eventstoredb/' },
    },
    {
      name: 'apps-stand-alone',
      comment: 'an app is nobody else’s library',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'apps-by-their-entry-point',
      comment: 'what the benchmark and the tests use of an app in their own process',
      severity: 'error',
      from: { pathNot: '^apps/' },
      to: { path: '^apps/', pathNot: '^apps/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'nothing-imports-the-simulation',
      comment: 'planted bugs live there, and must never be reached by the service',
      severity: 'error',
      from: { path: '^(libs|apps|bench)/' },
      to: { path: '^simulation/' },
    },
    {
      name: 'simulation-drives-the-service-itself',
      comment: 'what it replaces are the servers: no client of one, no edge of HTTP',
      severity: 'error',
      from: { path: '^simulation/' },
      to: {
        path: '^(libs|apps)/',
        pathNot:
          '^libs/(domain/[^/]+|views/[^/]+|shared/signing|edges/rail[^/]*|infra/(postgres|runtime))/src/index\\.ts$',
      },
    },
    {
      name: 'simulators-read-rails-on-their-own',
      comment: 'two readings of each rail, so that one finds the faults of the other',
      severity: 'error',
      from: { path: '^apps/[^/]+-simulator/' },
      to: { path: '^libs/edges/rail-' },
    },
    {
      name: 'simulator-parts-for-simulators-only',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: '^(libs/shared/simulator|apps/[^/]+-simulator)/' },
      to: { path: '^libs/shared/simulator/' },
    },
    {
      name: 'embedded-store-knows-only-the-protocol',
      severity: 'error',
      from: { path: '^apps/embedded-eventstore/' },
      to: { path: '^libs/infra/eventstoredb/' },
    },
    {
      name: 'testing-from-specs-only',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [...specs, '^libs/testing/'] },
      to: { path: ['^(libs/testing|test)/', `^${module}test/`] },
    },
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
