import { swcOptions } from './scripts/swc-options.mjs';

const swc = ['@swc/jest', { ...swcOptions, sourceMaps: 'inline' }];

const shared = {
  testEnvironmentOptions: { customExportConditions: ['switchyard-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': swc },
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.cache/'],
};

/** With real services, which are started when a file needs them. */
const withServices = {
  ...shared,
  testEnvironment: '<rootDir>/test/services/environment.mjs',
  globalSetup: '<rootDir>/test/services/global-setup.mjs',
  globalTeardown: '<rootDir>/test/services/global-teardown.mjs',
};

/** Takes minutes: only in a run that names it (`--selectProjects outages`). */
const onlyWhenNamed = (name) =>
  process.argv.includes(name)
    ? [{ ...withServices, displayName: name, testMatch: [`<rootDir>/test/${name}/**/*.spec.ts`] }]
    : [];

export default {
  // A wait for a condition (20 s at most) says what did not happen before the test is given up.
  testTimeout: 60_000,
  coverageProvider: 'v8',
  testSequencer: '<rootDir>/test/sequencer.mjs',
  // Two cores: half of the time a file waits, for processes, timers and a browser.
  maxWorkers: 4,
  // Jest keeps some megabytes of each file whose modules are ES modules.
  workerIdleMemoryLimit: '1GB',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testEnvironment: '<rootDir>/test/environment.mjs',
      testMatch: ['<rootDir>/{apps,libs}/**/*.spec.ts', '<rootDir>/test/{model,world}/*.spec.ts'],
    },
    {
      ...withServices,
      displayName: 'services',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: [
        ...shared.testPathIgnorePatterns,
        '<rootDir>/test/attack/',
        '<rootDir>/test/faults/',
        '<rootDir>/test/model/',
        '<rootDir>/test/mutants/',
        '<rootDir>/test/outages/',
        '<rootDir>/test/world/',
      ],
    },
    ...onlyWhenNamed('attack'),
    ...onlyWhenNamed('faults'),
    ...onlyWhenNamed('mutants'),
    ...onlyWhenNamed('outages'),
  ],
};
