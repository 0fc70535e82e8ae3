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

/** What Restate does not offer, besides leases: the beginnings of the names of cases. */
const notOffered = [
  // Nothing counts what waits.
  'creates nothing for a user of whom as many executions wait',
  // Leases that end by the clock, and claims in an order.
  'grants one of several concurrent claims when a lease has expired',
  'extends the lease with each claim',
  'takes from a runner what it does not know',
  'finds due executions by their definition',
  'frees the place of',
  // A free place is given to the first that waits at once, before a later one can pass it.
  'lets no new execution of a key pass',
  // Restate delivers those of other definitions, too, and the refused claim frees their place.
  'lets executions that no process can run',
  'notifies those that watch for what is due',
  // A claim refuses an exhausted execution first, which ends its runner.
  'quarantines an execution after its lease',
  'lists the executions that are in quarantine',
  // Each event ends by itself.
  'deletes at most as many old events',
  'deletes old events',
];

const cases = executionStoreCases.filter(
  (one) => !executionLeasesCases.includes(one) && !notOffered.some((name) => one.name.startsWith(name)),
);

it.each(cases)('$name', async ({ run }) => {
  await expect(run(harness.harness)).resolves.toBeUndefined();
});
