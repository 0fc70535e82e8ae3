import { jwtAuth } from '@halyard/auth-jwt';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { afterEach, expect, it, vi } from 'vitest';
import { serve } from './testing/serve.ts';

afterEach(() => vi.restoreAllMocks());

/** A port of this machine where nothing listens. */
const nowhere = '127.0.0.1:1';

/** A logger of the app that collects lines, and resolves with the first one that contains a text. */
function collect() {
  const lines: string[] = [];
  let check = (): void => {};
  return {
    logger: {
      level: 'warn',
      stream: {
        write: (line: string) => {
          lines.push(line);
          check();
        },
      },
    },
    lineWith: (text: string) =>
      new Promise<Record<string, unknown>>((resolve) => {
        check = () => {
          const found = lines.find((line) => line.includes(text));
          if (found !== undefined) resolve(JSON.parse(found) as Record<string, unknown>);
        };
        check();
      }),
  };
}

it('writes warnings of a storage without a logger to the log of the server', async () => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { lineWith, logger } = collect();
  const storage = createPostgresStorage({ connectionString: `postgres://halyard@${nowhere}/halyard` });
  const server = await serve([], { logger, storage });

  const line = await lineWith('ECONNREFUSED');

  expect(line).toMatchObject({ level: 40, msg: expect.stringContaining('database') });
  await server.close();
  await storage.close();
  expect(emitted).not.toHaveBeenCalled();
});

it('writes warnings of an auth provider without a logger to the log of the server', async () => {
  const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { lineWith, logger } = collect();
  const provider = jwtAuth({ jwksUri: `http://${nowhere}/jwks`, verifyOptions: { issuer: 'i', audience: 'a' } });
  const server = await serve([], { logger, auth: { provider } });

  const token = [{ alg: 'RS256', kid: 'k' }, { sub: 'ada' }, {}].map((part) => toBase64(part)).join('.');
  await fetch(`${server.origin}/api/workflows/executions`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${server.origin}/conversations`, { headers: { authorization: `Bearer ${token}` } });

  expect(await lineWith('could not fetch the keys')).toMatchObject({ level: 40 });
  await server.close();
  expect(emitted).not.toHaveBeenCalled();
});

function toBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
