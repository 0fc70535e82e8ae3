/**
 * The only test file that Vitest knows: the runner loads the files to run itself, as often as
 * Stryker asks.
 */
import { expect, it } from 'vitest';

it('starts', () => {
  expect(globalThis).toHaveProperty('__stryker__');
});
