import { ConfigurationError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { checkQueueOptions } from './queue-options.ts';

it('accepts whole numbers from 1, and no limit', () => {
  for (const value of [1, 256, Infinity]) {
    expect(() => checkQueueOptions({ concurrency: value, maxWaiting: value })).not.toThrow();
  }
  expect(() => checkQueueOptions({})).not.toThrow();
});

it('refuses other values', () => {
  for (const name of ['concurrency', 'maxWaiting'])
    for (const value of [0, -1, 1.5, Number.NaN]) {
      const message = `The option \`queue.${name}\` must be a whole number from 1, not ${value}`;
      expect(() => checkQueueOptions({ [name]: value })).toThrow(new ConfigurationError(message));
    }
});
