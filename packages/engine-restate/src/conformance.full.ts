import { executionLeasesCases, executionStoreCases } from '@halyard/conformance';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RestateHarness } from './testing/restate-harness.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

let server: RestateServer;
let harness: RestateHarness;

beforeAll(async () => {
  server = await RestateServer.start();
  const [port] = await freePorts();
  harness = await RestateHarness.open(server, port);
});

afterAll(async () => {
  await harness?.close();
  await server?.close();
});

beforeEach(() => harness.empty());

const cases = executionStoreCases.filter((one) => !executionLeasesCases.includes(one));

it.each(cases)('$name', async ({ run }) => {
  await expect(run(harness.harness)).resolves.toBeUndefined();
});
