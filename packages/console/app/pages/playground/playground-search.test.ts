import { expect, it } from 'vitest';
import { playgroundSearch } from './playground-search.ts';

it('keeps texts and settings, and leaves out values that are empty or of another type', () => {
  const settings = { temperature: 0 };
  expect(
    playgroundSearch({ agentId: 'a', userId: 7, mode: '', settings, besideSettings: {}, schema: [1], other: 'x' }),
  ).toEqual({ agentId: 'a', userId: '7', settings });
  expect(playgroundSearch({ settings: null, besideSettings: settings, schema: { type: 'object' } })).toEqual({
    besideSettings: settings,
    schema: { type: 'object' },
  });
});
