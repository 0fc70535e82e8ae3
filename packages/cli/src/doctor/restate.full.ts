import { silentLogger } from '@halyard/core/testing';
import { createRestateEngine } from '@halyard/engine-restate';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePorts, RestateServer } from '../../../engine-restate/src/testing/restate-server.ts';
import { AppFolder } from '../testing/app-folder.ts';
import type { Check } from './check.ts';

let restate: RestateServer;
let app: AppFolder;

beforeAll(async () => {
  restate = await RestateServer.start();
  app = new AppFolder();
  app.write('package.json', JSON.stringify({ dependencies: { '@halyard/engine-restate': '*' } }));
});
afterAll(async () => {
  app?.remove();
  await restate?.close();
});

async function checks(env: NodeJS.ProcessEnv): Promise<readonly Check[]> {
  const { stdout } = await app.run(['doctor', '--json'], { PORT: '0', RESTATE_ADMIN_URL: '', ...env });
  const all = (JSON.parse(stdout) as { readonly checks: readonly Check[] }).checks;
  return all.filter(({ id }) => id.startsWith('restate'));
}

it('registers the app with Restate, twice with the same result, and finds it', async () => {
  const [port] = await freePorts();
  const address = `http://127.0.0.1:${port}`;
  expect(await checks({ RESTATE_ADMIN_URL: restate.admin })).toMatchObject([
    { id: 'restate', status: 'ok' },
    { id: 'restate:registration', status: 'failed', message: 'Restate does not know where the app is' },
  ]);

  const args = ['restate', 'register', address, '--admin', restate.admin];
  const early = await app.run(args);
  expect(early.code).toBe(1);
  expect(early.stderr).toContain(`does not register ${address}`);
  expect(early.stderr).toContain('Connection refused');

  const engine = createRestateEngine({ ingress: restate.ingress, serve: { port, host: '127.0.0.1' } });
  const { executions } = await engine.open(createInMemoryStorage(), { logger: silentLogger });
  onTestFinished(() => executions.disconnect());
  for (let time = 0; time < 2; time += 1)
    expect(await app.run(args)).toMatchObject({
      code: 0,
      stdout: `✓ Restate at ${restate.admin} calls the app at ${address}.\n`,
    });
  expect(await checks({ RESTATE_ADMIN_URL: restate.admin })).toMatchObject([
    { id: 'restate', status: 'ok', message: expect.stringMatching(/^Restate \d+\.\d+\.\d+ at .* answers/) },
    { id: 'restate:registration', status: 'ok', message: `Restate calls the app at ${address}/` },
  ]);
});

it('says what is wrong when the address is missing, not that of Restate, or leads nowhere', async () => {
  expect(await checks({})).toMatchObject([{ id: 'restate', status: 'skipped' }]);
  expect(await checks({ RESTATE_ADMIN_URL: restate.ingress })).toMatchObject([
    { id: 'restate', status: 'failed', message: expect.stringContaining('is not the admin API of Restate') },
  ]);
  expect(await checks({ RESTATE_ADMIN_URL: 'http://127.0.0.1:1' })).toMatchObject([
    { id: 'restate', status: 'failed', message: 'Restate at http://127.0.0.1:1 does not answer' },
  ]);
});
