import js from '@eslint/js';
import perfectionist from 'eslint-plugin-perfectionist';
import tseslint from 'typescript-eslint';
import { rawTime } from './lint/raw-time.js';

const TYPED = ['apps/**/*.{ts,tsx}', 'libs/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'];

/** The SDK calls deprecated what a gateway needs that passes on other people's tools: messages as they are. */
const PROTOCOL_ITSELF = [
  {
    from: 'package',
    package: '@modelcontextprotocol/server',
    name: ['Server'],
  },
  {
    from: 'package',
    package: '@modelcontextprotocol/client',
    name: ['setLoggingLevel', 'LoggingLevel', 'LoggingMessageNotificationParams'],
  },
];

export default tseslint.config(
  {
    ignores: [
      'examples/another-team/**',
      'dist/**',
      'packages/*/dist/**',
      'node_modules/**',
      'data/**',
      'test-results/**',
      '.cache/**',
    ],
  },
  js.configs.recommended,
  {
    plugins: { perfectionist },
    rules: {
      'perfectionist/sort-imports': [
        'error',
        {
          type: 'unsorted',
          groups: ['builtin', 'external', 'internal', 'parent', ['sibling', 'index'], 'style'],
          internalPattern: ['^#'],
          newlinesBetween: 'ignore',
        },
      ],
    },
  },
  ...tseslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: TYPED })),
  {
    files: TYPED,
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/web/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/no-deprecated': ['error', { allow: PROTOCOL_ITSELF }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/restrict-plus-operands': ['error', { allowNumberAndString: true }],
      // `return refuse(…)` ends a function early in one line, and `void (await …)` says that the value is not wanted.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      // Parts are taken out of deps and options, whose functions are written as methods and use no `this`.
      '@typescript-eslint/unbound-method': 'off',
      // It does not see that a field changes while a function waits, nor that `JSON.stringify` may return undefined.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // Nest's applications and Ajv's dialects are classes of the same shape, not subclasses.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An error passes through as it came.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // `noUncheckedIndexedAccess` calls every index unsafe; a `!` says that this one has been checked.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // An adapter of a port answers with a promise, whether it has something to wait for or not.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': [
        'error',
        { max: 60, skipBlankLines: true, skipComments: true, IIFEs: false },
      ],
      'max-params': ['error', 5],
      complexity: ['error', 18],
    },
  },
  {
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'test/**/*.ts', '**/*.tsx'],
    rules: { 'max-lines-per-function': 'off', 'max-lines': 'off', 'max-params': 'off' },
  },
  {
    // Tests take values apart whose type nobody promises: bodies of answers, doubles, variables that a hook sets.
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-deprecated': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/await-thenable': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  ...rawTime,
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
