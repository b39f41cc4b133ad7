import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { noJsonSpread } from './scripts/lint/no-json-spread.mjs';

export default tseslint.config(
  { ignores: ['**/dist/', 'coverage/', '**/node_modules/', 'site/.vitepress/cache/', 'site/.vitepress/.temp/'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // winston declares its transports as interfaces beside their classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // What few configurations need at once: the build knows them (scripts/build/library.mjs).
      '@typescript-eslint/no-require-imports': [
        'error',
        { allow: ['^(graphql/language|json-p3|re2js|winston|yaml)$'] },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/operators/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Observable']",
          message: 'Compose with pipe; new Observable belongs in operators/.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { headwater: { rules: { 'no-json-spread': noJsonSpread } } },
    rules: { 'headwater/no-json-spread': 'error' },
  },
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: {
        module: 'writable',
        __dirname: 'readonly',
        require: 'readonly',
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        performance: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);
