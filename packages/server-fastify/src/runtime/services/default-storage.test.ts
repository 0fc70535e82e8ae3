import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, expect, it, vi } from 'vitest';
import { createServer } from '../../create-server.ts';
import type { ServerOptions } from '../../server-options.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('warns once in production that everything is lost without the option `storage`', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await storageLines({})).toEqual([
    { level: 40, msg: expect.stringContaining('lost when it ends: set the option `storage`') },
  ]);
});

it('does not warn of a storage in memory that the app has chosen', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await storageLines({ storage: createInMemoryStorage() })).toEqual([]);
});

it('does not warn in development', async () => {
  vi.stubEnv('NODE_ENV', 'development');
  expect(await storageLines({})).toEqual([]);
});

async function storageLines(options: ServerOptions): Promise<readonly { level: number; msg: string }[]> {
  const lines: { level: number; msg: string }[] = [];
  const write = (line: string): void => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (msg.includes('no storage is set')) lines.push({ level, msg });
  };
  const server = await createServer({ ...options, logger: { level: 'info', stream: { write } } });
  await server.app.ready();
  await server.close();
  return lines;
}
