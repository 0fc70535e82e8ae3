import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoModel } from '@halyard/example-demo-model';
import { createQuickstart } from '@halyard/example-quickstart';
import { createLogger, createServer } from 'vite';
import { expect, it, vi } from 'vitest';
import { useQuickstarts } from './open-quickstart.ts';
import { openStorage } from './open-storage.ts';

const { afterTest, openAt } = useQuickstarts();
/** Vite compiles the modules when a page first needs them. */
const configFile = fileURLToPath(new URL('../../../packages/console/vite.config.ts', import.meta.url));

/** Starts what `pnpm --filter @halyard/console dev` starts, for the server at `halyardUrl`. */
async function openDevServer(
  halyardUrl: string,
): Promise<{ readonly url: string; readonly errors: readonly string[] }> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'halyard-console-dev-'));
  afterTest(() => rm(cacheDir, { recursive: true }));
  const errors: string[] = [];
  const customLogger = createLogger('error');
  customLogger.error = (message) => void errors.push(message);
  vi.stubEnv('HALYARD_URL', halyardUrl);
  afterTest(async () => vi.unstubAllEnvs());
  const server = await createServer({
    configFile,
    root: join(dirname(configFile), 'app'),
    mode: 'development',
    cacheDir,
    customLogger,
    server: { host: '127.0.0.1', port: 0, watch: null },
  });
  afterTest(() => server.close());
  await server.listen();
  const [address = ''] = server.resolvedUrls?.local ?? [];
  return { url: new URL(address).origin, errors };
}

it('shows the pages below /console/ and proxies all other paths to the server', async () => {
  const quickstart = await createQuickstart(demoModel({ delayMs: 1 }), openStorage(), {
    logger: false,
    signals: false,
  });
  afterTest(() => quickstart.close());
  const { url } = await openDevServer(await quickstart.listen({ port: 0 }));

  const { page, problems } = await openAt(url, '/console');
  const sockets = new Set<string>();
  page.on('websocket', (socket) => sockets.add(new URL(socket.url()).pathname));
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.waitForURL(`${url}/console/agents`);
  const row = page.getByRole('row').filter({ hasText: 'Tells the time' });
  await row.getByText('never').waitFor();
  await page.reload();
  await row.getByText('never').waitFor();

  // A message on the WebSocket makes the page read the last run again.
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  const reply = await fetch(`${url}/agents/assistant/text`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hello', options: { userId: 'ada' } }),
  });
  expect(reply.status).toBe(200);
  await row.getByRole('img', { name: 'completed' }).waitFor();

  await page.goto(`${url}/console/approvals`);
  await page.getByText('Nothing waits for a person').waitFor();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect([...sockets].toSorted()).toEqual(['/console/', '/ws/approvals', '/ws/observability']);
  // Requests that fail, such as those of a path that is not proxied, are problems too.
  expect(problems.join('\n')).toBe('');
});

it('says that no server runs', async () => {
  // Nothing listens on a reserved port.
  const { errors, url } = await openDevServer('http://127.0.0.1:1');
  const message = 'No server answers at http://127.0.0.1:1. Start one, such as npx pnpm@12 dev, or set HALYARD_URL.';

  const { page } = await openAt(url, '/console/agents');
  await page.getByText(message).waitFor();
  await page.getByText('Connection lost').waitFor();
  expect(errors.filter((error) => !error.endsWith(`\n${message}`))).toEqual([]);
});
