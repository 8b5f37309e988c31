import tseslint from 'typescript-eslint';

/** The subjects decide; they do not look at the clock, draw lots, read settings or calculate in floating point. */
const domain = ['libs/domain/*/src/**/*.ts'];

/** Members that are spread only to stand on one line hide from the type checker what does not belong there. */
const spreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the members themselves.',
};

export default tseslint.config(
  { ignores: ['dist/', 'libs/sdk/dist/', 'node_modules/', '.data/', 'coverage/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            '*.mjs',
            '.*.mjs',
            'bin/*.mjs',
            'docker/*.mjs',
            'scripts/*.mjs',
            'test/servers/*.mjs',
          ],
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: false, allow: [{ name: 'bigint', from: 'lib' }] },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'jest',
          property: 'mock',
          message: 'Servers in tests are real; pass a fake through a port instead.',
        },
      ],
      // Nest declares its options as classes and reads plain objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'no-restricted-syntax': ['error', spreadLiteral],
      eqeqeq: 'error',
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'libs/testing/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: domain,
    ignores: ['**/*.spec.ts', 'libs/domain/kernel/src/clock.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'Date', message: 'Time arrives with the command (Clock).' },
        { name: 'process', message: 'Settings arrive through the constructor.' },
        { name: 'parseFloat', message: 'Money is bigint or text.' },
        { name: 'Number', message: 'Money is bigint or text.' },
        { name: 'setTimeout', message: 'Deadlines belong to adapters.' },
      ],
      'no-restricted-syntax': [
        'error',
        spreadLiteral,
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'Randomness arrives with the command (Ids).',
        },
      ],
    },
  },
  {
    // The same seed gives the same schedule only where nothing else decides.
    files: ['simulation/**/*.ts'],
    ignores: ['simulation/main.ts', 'simulation/run-seeds.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'Waiting is a task of the scheduler.' },
        { name: 'setInterval', message: 'Waiting is a task of the scheduler.' },
        { name: 'performance', message: 'Time is virtual.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is virtual.' },
        { object: 'Math', property: 'random', message: 'Draws come from Dice.' },
      ],
    },
  },
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
