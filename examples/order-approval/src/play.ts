import { Api } from './api.ts';
import { playBothRoles } from './both-roles.ts';

const url = process.argv[2] ?? 'http://127.0.0.1:3141';
try {
  await playBothRoles(new Api(url), (text) => process.stdout.write(text));
} catch (error) {
  // What `fetch` throws when nobody is there.
  if (!(error instanceof TypeError)) throw error;
  console.error(`Nothing answers at ${url}. Start it first:  npx pnpm@12 --filter @halyard/example-order-approval dev`);
  process.exitCode = 1;
}
