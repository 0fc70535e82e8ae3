/** One replica of the app, as a process of its own: its settings are its argument. Prints its address when it listens. */
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { BodyLog } from './harness/body-log.ts';
import type { ReplicaSettings } from './harness/replica-process.ts';
import { approvalsWorkflow } from './linear-workflow.ts';
import { plantBug } from './plants.ts';
import { logRequests, requestsLogOf } from './shutdown-requests.ts';
import { tickerWorkflow } from './sse-workflow.ts';
import { workflowsOf } from './workflows.ts';

const settings = JSON.parse(process.argv[2] ?? '') as ReplicaSettings;
const { connectionString, leaseMs, limits, name, plant, port } = settings;
const log = new BodyLog(settings.bodyLog, name);
const storage = createPostgresStorage({ connectionString });
const server = await createServer({
  workflows: [...workflowsOf(log), approvalsWorkflow, tickerWorkflow],
  storage: plantBug(storage, { plant, log }),
  leaseMs,
  port,
  limits: { streamsPerCaller: 20_000, streamsPerProcess: 20_000, ...limits },
  logger: 'error',
  telemetry: false,
  retention: false,
  secret: 'the same on every replica',
});
logRequests(server.app.server, requestsLogOf(settings.bodyLog));
process.stdout.write(`${await server.listen()}\n`);
