import { RuleTester } from 'oxlint/plugins-dev';
import { describe, it } from 'vitest';
import { noBareError, noDoubleAssertion, noExportAll, noWallClock, optionsAcceptUndefined } from './lint-rules.ts';

RuleTester.describe = describe;
RuleTester.it = it;
const tester = new RuleTester({ languageOptions: { parserOptions: { lang: 'ts' } } });

tester.run('no-bare-error', noBareError, {
  valid: ['throw new NotFoundError("agent", id)', 'throw error', 'const cause = new Error("text")'],
  invalid: [
    { code: 'throw new Error("text")', errors: 1 },
    { code: 'throw TypeError("text")', errors: 1 },
  ],
});

tester.run('no-double-assertion', noDoubleAssertion, {
  valid: ['const a = b as string', 'const a = ["x"] as const'],
  invalid: [{ code: 'const a = b as unknown as string', errors: 1 }],
});

tester.run('no-export-all', noExportAll, {
  valid: ['export { a } from "./a.ts"', 'export type { A } from "./a.ts"'],
  invalid: [
    { code: 'export * from "./a.ts"', errors: 1 },
    { code: 'export * as a from "./a.ts"', errors: 1 },
  ],
});

tester.run('no-wall-clock', noWallClock, {
  valid: ['clock.now()', 'const clock = { now: Date.now }', 'new Date(at)'],
  invalid: [
    { code: 'Date.now()', errors: 1 },
    { code: 'performance.now()', errors: 1 },
    { code: 'new Date()', errors: 1 },
  ],
});

tester.run('options-accept-undefined', optionsAcceptUndefined, {
  valid: [
    'interface AOptions { a: string; b?: string | undefined; c?: unknown }',
    'interface A { a?: string }',
    'type AOptions = { nested: { a?: string | undefined } }; type B = { b?: string }',
  ],
  invalid: [
    {
      code: 'interface AOptions { a?: string; b?: () => void }',
      output: 'interface AOptions { a?: string | undefined; b?: (() => void) | undefined }',
      errors: 2,
    },
    { code: 'interface AHooks { onStart?(): void }', errors: 1 },
    {
      code: 'type AHooks = { nested?: { a?: string } | undefined }',
      output: 'type AHooks = { nested?: { a?: string | undefined } | undefined }',
      errors: 1,
    },
  ],
});
