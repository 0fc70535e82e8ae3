import { Api } from './api.ts';
import { playBothRoles } from './play-both-roles.ts';

const url = process.argv[2] ?? 'http://127.0.0.1:3141';
try {
  await playBothRoles(new Api(url), (text) => process.stdout.write(text));
} catch (error) {
  // `fetch` throws a TypeError if the server is not running.
  if (!(error instanceof TypeError)) throw error;
  console.error(
    `No server responds at ${url}. Start it first:  npx pnpm@12 --filter @halyard/example-order-approval dev`,
  );
  process.exitCode = 1;
}
