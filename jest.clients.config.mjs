import config from './jest.config.mjs';

/** The conformance suite of the clients, which `npm run test:clients` runs. Its service runs from dist. */
const unit = config.projects.find(({ displayName }) => displayName === 'unit');
const { globalSetup, globalTeardown } = config.projects.find(
  ({ displayName }) => displayName === 'e2e',
);

export default {
  ...unit,
  // A test of the slowest client on a busy machine takes a tenth of it.
  testTimeout: 60_000,
  displayName: 'clients',
  roots: ['<rootDir>/clients/conformance'],
  globalSetup,
  globalTeardown,
};
