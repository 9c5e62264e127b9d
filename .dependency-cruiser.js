const libs =
  'contracts|connections|turn|journal|ledger|messaging|store|llm|demo-model|tools|toolsets|mcp|observability|bootstrap|faults|limits|time|tracing';
/** A vendor SDK has one home; everything else sees our port. */
const homes = {
  amqplib: '^libs/messaging/rabbitmq/',
  '@nestjs/microservices': '^(libs/messaging/nest/|apps/)',
  mongoose: '^libs/store/mongo/',
  mongodb: '^libs/store/mongo/',
  libsql: '^(libs/store/libsql/|libs/toolsets/)',
  '@anthropic-ai/sdk': '^libs/llm/anthropic/',
  openai: '^libs/llm/openai/',
  '@modelcontextprotocol/client': '^libs/mcp/',
  '@modelcontextprotocol/server': '^apps/gateway/mcp/',
  '@modelcontextprotocol/node': '^apps/gateway/mcp/',
  pino: '^libs/observability/',
  'prom-client': '^libs/observability/',
  '@opentelemetry': '^libs/tracing/',
  'socket.io': '^apps/gateway/',
  ws: '^(apps/gateway/|test/)',
  'socket.io-client': '^(apps/web/|test/|bench/)',
  react: '^apps/web/',
  jose: '^apps/gateway/',
  ajv: '^libs/tools/',
  re2js: '^libs/toolsets/',
};

const forbidden = [
  {
    name: 'no-cycles',
    comment: 'A circle of types only, in tests, is none at run time.',
    severity: 'error',
    from: { path: '^(apps|libs|bench)/' },
    to: { circular: true },
  },
  {
    name: 'apps-never-import-apps',
    comment: 'Only standalone composes the others.',
    severity: 'error',
    from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'libs-never-import-apps',
    severity: 'error',
    from: { path: '^libs/' },
    to: { path: '^apps/' },
  },
  {
    name: 'a-lib-is-entered-through-its-index',
    severity: 'error',
    from: { path: '^(apps|libs)/([^/]+)/' },
    to: {
      path: `^libs/(${libs})/`,
      pathNot: [
        `^libs/(${libs})/index\\.ts$`,
        '^libs/$2/',
        '^libs/(journal|llm|time|tools)/testing/index\\.ts$',
      ],
    },
  },
  {
    name: 'contracts-import-zod-only',
    severity: 'error',
    from: { path: '^libs/contracts/', pathNot: '\\.spec\\.ts$' },
    to: { pathNot: '(^libs/contracts/|node_modules/zod/)' },
  },
  {
    name: 'faults-import-nothing',
    comment: 'Every lib that does something may be struck, so libs/faults stands below all of them.',
    severity: 'error',
    from: { path: '^libs/faults/', pathNot: '\\.spec\\.ts$' },
    to: { path: '^(apps|libs)/', pathNot: '^libs/faults/' },
  },
  {
    name: 'time-imports-nothing',
    comment: 'Everything may wait and draw, so libs/time stands below all of it.',
    severity: 'error',
    from: { path: '^libs/time/', pathNot: '\\.spec\\.ts$' },
    to: { path: '^(apps|libs)/', pathNot: '^libs/time/' },
  },
  {
    name: 'the-core-is-pure',
    comment: 'libs/turn decides and reduces: no Nest, no I/O, nothing but contracts.',
    severity: 'error',
    from: { path: '^libs/turn/', pathNot: '(\\.spec\\.ts$|/testing/)' },
    to: { pathNot: '^(libs/turn/|libs/contracts/)' },
  },
  {
    name: 'a-plain-file-knows-no-nest',
    comment: 'A file without a role suffix is plain TypeScript; Nest does wiring only.',
    severity: 'error',
    from: {
      path: '^(apps|libs)/',
      pathNot:
        '(\\.(module|controller|gateway|guard|filter|pipe|strategy|app|main|adapter|middleware|decorator)\\.ts$|/main\\.ts$|\\.spec\\.ts$|/testing/|^libs/messaging/nest/|^libs/observability/nest-logger\\.ts$)',
    },
    to: { path: 'node_modules/@nestjs/' },
  },
  {
    name: 'the-sdk-of-traces-is-loaded-on-demand',
    comment: 'A process without a collector must not pay for it.',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$' },
    to: { path: 'node_modules/@opentelemetry/(?!api/)', dynamic: false },
  },
  {
    name: 'tests-are-not-imported',
    severity: 'error',
    from: { path: '^(apps|libs)/', pathNot: '(\\.spec\\.ts$|/testing/)' },
    to: { path: '(^test/|^bench/|\\.spec\\.ts$|/testing/)' },
  },
  ...Object.entries(homes).map(([vendor, home]) => ({
    name: `home-of-${vendor.replace(/\W+/g, '-')}`,
    severity: 'error',
    from: { path: '^(apps|libs|bench)/', pathNot: [home, '\\.spec\\.ts$', '/testing/', '^bench/'] },
    to: { path: `node_modules/${vendor}/`, dependencyTypesNot: ['type-only'] },
  })),
];

export default {
  forbidden,
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data|test-results|\\.cache)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['switchyard-source', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
};
