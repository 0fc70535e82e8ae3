import { ConfigurationError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { listenAddress, listenFailure } from './listen-address.ts';

it.each([
  ['the default', {}, {}, '127.0.0.1:3141'],
  ['the default in production', {}, { NODE_ENV: 'production' }, '0.0.0.0:3141'],
  ['the environment', {}, { PORT: '4000', HOST: '0.0.0.0' }, '0.0.0.0:4000'],
  ['the environment in production', {}, { HOST: '127.0.0.1', NODE_ENV: 'production' }, '127.0.0.1:3141'],
  ['the options', { host: '::1', port: 0 }, { PORT: '4000', HOST: '0.0.0.0' }, '::1:0'],
  ['the default for an empty environment', {}, { PORT: '', HOST: ' ' }, '127.0.0.1:3141'],
])('listens on %s', (_name, options, env, expected) => {
  const { host, port } = listenAddress(options, env);
  expect(`${host}:${port}`).toBe(expected);
});

it.each([
  [{ port: 70_000 }, {}, 'The option `port` must be a whole number from 0 to 65535, not 70000'],
  [{ port: 1.5 }, {}, 'The option `port` must be a whole number from 0 to 65535, not 1.5'],
  [{ host: '' }, {}, 'The option `host` must be a host name or an IP address, not ""'],
  [{}, { PORT: '3000a' }, 'The environment variable PORT must be a whole number from 0 to 65535, not "3000a"'],
  [{}, { PORT: '-1' }, 'The environment variable PORT must be a whole number from 0 to 65535, not "-1"'],
])('rejects %j with the environment %j', (options, env, message) => {
  expect(() => listenAddress(options, env)).toThrow(new ConfigurationError(message));
});

it('returns an unknown failure of `listen` unchanged', () => {
  const failure = new Error('unknown');
  expect(listenFailure(failure, { host: '127.0.0.1', port: 1 })).toBe(failure);
});
