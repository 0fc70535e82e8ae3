import { ConfigurationError } from '@halyard/contracts';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { createServer } from '../create-server.ts';
import { halyard } from '../halyard.ts';
import { exchange, serve } from '../testing/serve.ts';
import { defaultLimits, type Limits } from './limits.ts';

const invalid: readonly [name: keyof Limits, value: unknown, message: string][] = [
  ['requestsPerCaller', -1, 'must be a whole number from 0 to 9007199254740991, not -1'],
  ['bodyBytes', Number.NaN, 'not NaN'],
  ['streamsPerCaller', 1.5, 'not 1.5'],
  ['bytesInProgress', Infinity, 'not Infinity'],
  ['executionValueBytes', '64', 'not "64"'],
  ['jsonValues', null, 'not null'],
  ['pingMs', undefined, 'not undefined'],
  ['pingMs', 0, 'must be a whole number from 1 to 1000000000, not 0'],
  ['requestTimeoutMs', 2 ** 31, 'must be a whole number from 0 to 1000000000, not 2147483648'],
];

describe.each(invalid)('limits.%s: %s', (name, value, message) => {
  const limits = { [name]: value };

  it('is refused by createServer', async () => {
    const creating = createServer({ limits, logger: false });
    await expect(creating).rejects.toThrow(ConfigurationError);
    await expect(creating).rejects.toThrow(`\`limits.${name}\``);
    await expect(creating).rejects.toThrow(message);
  });

  it('is refused by the plugin', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    await expect(app.register(halyard, { limits })).rejects.toThrow(`\`limits.${name}\``);
  });
});

it('refuses a body that is slower than a short limit for the whole request, whatever that for its headers', async () => {
  const server = await serve([], { limits: { requestTimeoutMs: 100, headersTimeoutMs: 3_600_000 } });
  const head =
    'POST /tools/x/execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n';
  expect(await exchange(server.port, `${head}{`)).toContain('HTTP/1.1 408');
  await server.close();
});

it('accepts limits of several minutes for slow clients', async () => {
  const { app, close } = await createServer({ limits: { requestTimeoutMs: 500_000 }, logger: false });
  expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([10_000, 500_000]);
  await close();
});

it('accepts the defaults, and 0 for a limit of what callers may have', async () => {
  const { app, close } = await createServer({ limits: { ...defaultLimits, streamsPerCaller: 0 }, logger: false });
  expect(app.initialConfig.bodyLimit).toBe(defaultLimits.bodyBytes / 8);
  await close();
});
