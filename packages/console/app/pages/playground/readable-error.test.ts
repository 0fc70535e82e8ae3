import { expect, it } from 'vitest';
import { readableError } from './readable-error.ts';

it.each(['Failed to fetch', 'network error', 'Load failed', 'NetworkError when attempting to fetch resource.'])(
  'explains %s',
  (message) => {
    expect(readableError(message)).toMatch(/connection to the server was lost/);
  },
);

it.each([
  ['{"success":false,"error":"No such agent"}', 'No such agent'],
  ['{"error":7}', '{"error":7}'],
  ['null', 'null'],
  ['The model has failed', 'The model has failed'],
  ['', ''],
])('reads %s as %s', (message, readable) => {
  expect(readableError(message)).toBe(readable);
});
