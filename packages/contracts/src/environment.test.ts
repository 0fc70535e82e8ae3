import { expect, it } from 'vitest';
import { isDevelopment, isProduction } from './environment.ts';

it.each([
  ['production', 'production'],
  ['prod', 'production'],
  [' Production ', 'production'],
  ['test', 'neither'],
  ['TEST', 'neither'],
  ['development', 'development'],
  ['staging', 'development'],
  [undefined, 'development'],
])('counts NODE_ENV %j as %s', (name, expected) => {
  const env = { NODE_ENV: name };
  const mode = isProduction(env) ? 'production' : isDevelopment(env) ? 'development' : 'neither';
  expect(mode).toBe(expected);
});
