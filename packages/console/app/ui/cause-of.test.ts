import { expect, it } from 'vitest';
import { causeOf } from './cause-of.ts';

it.each([
  ['The model of agent "desk" failed: openai answered 503: overloaded', 'openai answered 503: overloaded'],
  ['The model of agent "desk" failed', 'The model of agent "desk" failed'],
  ['The model of agent "desk" failed: ', 'The model of agent "desk" failed: '],
  ['The bank is closed: it is Sunday', 'The bank is closed: it is Sunday'],
])('shows of %s where a list names the run: %s', (message, cause) => {
  expect(causeOf(message)).toBe(cause);
});
