import { fileURLToPath } from 'node:url';
import { openHarbour, orExplain, readArguments } from './open-harbour.ts';
import { servePage } from './serve-page.ts';

/** One process serves the built page and the API. */
await orExplain(async () => {
  const { dataDir, port } = readArguments();
  const { harbour, screen } = await openHarbour({ dataDir });
  await servePage(harbour, fileURLToPath(new URL('../dist/', import.meta.url)));
  const url = await harbour.listen(port === undefined ? {} : { port });
  console.log(`\n  Harbour desk is running.\n\n  Chat      ${url}/\n  Console   ${url}/halyard/console\n${screen}`);
});
