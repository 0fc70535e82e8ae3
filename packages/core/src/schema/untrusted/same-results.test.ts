import { expect, it } from 'vitest';
import { sameResults } from './testing/same-results.ts';

it('has the same results in a thread as without one', async () => {
  // Values that fit, values that do not, and schemas that are refused.
  expect(await sameResults({ numRuns: 100, seed: 1 })).toEqual(['code,message', 'ok,message', 'ok,value']);
});
