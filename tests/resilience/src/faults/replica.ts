/**
 * One replica of the app, in its own process. The argument is its settings as JSON. Prints its
 * address when it listens.
 */
import { flushCompileCache } from 'node:module';
import { createMemory } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { storyteller } from './chats-agent.ts';
import { deployedWorkflows } from './deploys-workflow.ts';
import { BodyLog } from './harness/body-log.ts';
import type { ReplicaSettings } from './harness/replica-process.ts';
import { addMemoryRoute } from './idle-memory.ts';
import { idleWorkflows } from './idle-workflows.ts';
import { approvalsWorkflow } from './linear-workflow.ts';
import { listener } from './listener-agent.ts';
import { beatsWorkflow } from './partition-workflow.ts';
import { plantBug } from './plants.ts';
import { researcherOf } from './replies-agent.ts';
import { logRequests, requestsLogOf } from './shutdown-requests.ts';
import { tickerWorkflow } from './sse-workflow.ts';
import { keeper } from './summaries-agent.ts';
import { workflowsOf } from './workflows.ts';

const settings = JSON.parse(process.argv[2] ?? '') as ReplicaSettings;
const { connectionString, leaseMs, limits, name, plant, port, release = 1 } = settings;
const log = new BodyLog(settings.bodyLog, name);
const storage = plantBug(createPostgresStorage({ connectionString }), { connectionString, plant, log });
const server = await createServer({
  agents: [storyteller, listener, keeper, researcherOf(log)],
  memory: createMemory({ storage }),
  workflows: [
    ...workflowsOf(log),
    ...deployedWorkflows.slice(release - 1, release),
    approvalsWorkflow,
    beatsWorkflow(log),
    tickerWorkflow,
    ...idleWorkflows,
  ],
  storage,
  leaseMs,
  port,
  limits: {
    requestsPerCaller: 20_000,
    streamsPerCaller: 20_000,
    // The overload protection would measure the machine.
    eventLoopDelayMs: 3_600_000,
    ...limits,
  },
  logger: 'error',
  telemetry: false,
  retention: false,
  secret: 'the same on every replica',
});
if (plant === 'abrupt-stop') process.on('SIGTERM', () => process.exit(0));
addMemoryRoute(server);
logRequests(server.app.server, requestsLogOf(settings.bodyLog));
// The parent process has ended: end too.
process.stdin
  .once('end', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
  .unref();
process.stdout.write(`${await server.listen()}\n`);
// Most replicas are killed, so the cache is not written on exit.
flushCompileCache();
