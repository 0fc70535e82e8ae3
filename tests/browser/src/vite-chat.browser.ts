import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoModel } from '@halyard/example-demo-model';
import { servePage } from '@halyard/example-with-vite-chat/serve-page';
import { createHarbour } from '@halyard/example-with-vite-chat/server';
import { build } from 'vite';
import { afterAll, beforeAll } from 'vitest';
import { useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';
import { smokeTest } from './smoke-chat.ts';

const { afterTest, openAt } = useQuickstarts();
const example = dirname(dirname(fileURLToPath(import.meta.resolve('@halyard/example-with-vite-chat/server'))));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halyard-vite-'));
  const configFile = join(example, 'vite.config.ts');
  await build({ configFile, root: join(example, 'page'), build: { outDir: folder }, logLevel: 'warn' });
});
afterAll(() => rm(folder, { recursive: true }));

smokeTest('vite-chat', async () => {
  const server = await createHarbour(demoModel({ delayMs: 1 }), openStorage(), {
    logger: false,
    signals: false,
    console: false,
  });
  afterTest(() => server.close());
  await servePage(server, folder);
  return openAt(await server.listen({ port: 0 }), '/');
});
