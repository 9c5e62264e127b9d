/*
 * Time and chance are ports (libs/time): who reads a clock or draws a number without them cannot be simulated.
 */

const globals = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const timerModules = ['timers', 'timers/promises', 'node:timers', 'node:timers/promises'];
const members = [
  ['Date', 'now'],
  ['performance', 'now'],
  ['AbortSignal', 'timeout'],
  ['Math', 'random'],
  ['crypto', 'randomUUID'],
  ['crypto', 'getRandomValues'],
  ['process', 'hrtime'],
  ...globals.map((name) => ['globalThis', name]),
];
const message = 'Take `clock` or `random` (#time) instead: what reads the machine cannot be simulated.';
const forSpecs =
  'Give it a VirtualClock (#time/testing), or wait for a condition (test/services/wait-for.ts): what sleeps is slow or fails.';

export const rawTime = [
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: [
      'apps/web/**',
      '**/*.spec.ts',
      '**/testing/**',
      'libs/time/**',
      // Secrets: tokens, salts, codes of invitations, states and nonces.
      'libs/connections/{sealed-row,token-keys}.ts',
      'libs/ledger/token/call-tokens.ts',
      'apps/gateway/people/accounts/{account-tokens.adapter,invitations,passwords,sessions}.ts',
      // Strikes the real process, whose signals take real time.
      'libs/faults/strike.ts',
      // Stops a thread of the machine that a check holds: by the machine's time.
      'libs/tools/checker.ts',
    ],
    rules: {
      'no-restricted-globals': ['error', ...globals.map((name) => ({ name, message }))],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...timerModules.map((name) => ({ name, message })),
            ...['crypto', 'node:crypto'].map((name) => ({
              name,
              importNames: ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'],
              message,
            })),
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        ...members.map(([object, property]) => ({
          selector: `MemberExpression[object.name='${object}'][property.name='${property}']`,
          message,
        })),
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message },
        { selector: "CallExpression[callee.name='Date']", message },
      ],
    },
  },
  {
    files: ['libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'test/integration/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval'].map((name) => ({ name, message: forSpecs })),
      ],
      'no-restricted-imports': [
        'error',
        { paths: timerModules.map((name) => ({ name, message: forSpecs })) },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='AbortSignal'][property.name='timeout']",
          message: forSpecs,
        },
        { selector: "MemberExpression[property.name='useFakeTimers']", message: forSpecs },
      ],
    },
  },
];
