import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { servePage } from '@halyard/example-with-vite-chat/serve-page';
import { createHarbour } from '@halyard/example-with-vite-chat/server';
import { build } from 'vite';
import { afterAll, beforeAll } from 'vitest';
import { openProxy } from './open-proxy.ts';
import { useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';
import { testChat } from './shared-chat-cases.ts';

const { afterTest, openAt } = useQuickstarts();
const example = dirname(dirname(fileURLToPath(import.meta.resolve('@halyard/example-with-vite-chat/server'))));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halyard-vite-'));
  const configFile = join(example, 'vite.config.ts');
  await build({ configFile, root: join(example, 'page'), build: { outDir: folder }, logLevel: 'warn' });
});
afterAll(() => rm(folder, { recursive: true }));

testChat('vite-chat', async (model, width = 1100) => {
  const server = await createHarbour(model, openStorage(), { logger: false, signals: false, console: false });
  afterTest(() => server.close());
  await servePage(server, folder);
  const proxy = await openProxy(await server.listen({ port: 0 }));
  afterTest(() => proxy.close());
  const { page, problems } = await openAt(proxy.url, '/', { viewport: { width, height: 760 } });
  return { page, proxy, problems };
});
