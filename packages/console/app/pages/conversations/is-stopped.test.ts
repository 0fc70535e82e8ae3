import { expect, it } from 'vitest';
import { isStopped } from './is-stopped.ts';

it('knows the mark of a reply that a person has stopped', () => {
  expect(isStopped({ providerMetadata: { halyard: { cut: true, stopped: true } } })).toBe(true);
  expect(isStopped({ providerMetadata: { halyard: { cut: true } } })).toBe(false);
  expect(isStopped({})).toBe(false);
});
