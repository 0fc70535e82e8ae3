import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { openHarbour, orExplain, readArguments } from './open-harbour.ts';

/**
 * Vite serves the page, with its changes as they are saved, and passes `/halyard` on to the server.
 */
await orExplain(async () => {
  const { dataDir, port = 5173 } = readArguments();
  const { harbour, screen } = await openHarbour({ dataDir });
  const pages = createHttpServer();
  const closing: (() => Promise<void>)[] = [];
  harbour.app.addHook('onClose', async () => void (await Promise.all(closing.map((close) => close()))));
  const api = await harbour.listen({ port: 0 });

  // As a middleware, Vite leaves signals to the server, which ends its work before the process
  // ends.
  const vite = await createServer({
    configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
    root: fileURLToPath(new URL('../page/', import.meta.url)),
    server: { middlewareMode: true, hmr: { server: pages }, proxy: { '/halyard': api } },
  });
  closing.push(
    () => vite.close(),
    async () => {
      pages.close();
      pages.closeAllConnections();
    },
  );
  pages.on('request', vite.middlewares).listen(port, '127.0.0.1');
  await once(pages, 'listening');
  const url = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  console.log(`\n  Harbour desk is running.\n\n  Chat      ${url}/\n  Console   ${api}/halyard/console\n${screen}`);
});
