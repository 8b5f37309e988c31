import config from './jest.config.mjs';

/** The adapter's own tests, without the other servers: on EVENTSTORE_URL, or on an embedded store of their own. */
const { globalSetup, globalTeardown, ...integration } = config.projects.find(
  ({ displayName }) => displayName === 'integration',
);

export default {
  testTimeout: config.testTimeout,
  ...integration,
  roots: ['<rootDir>/libs/infra/eventstoredb'],
};
