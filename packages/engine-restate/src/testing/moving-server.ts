import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@halyard/contracts';
import { andThen, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { createRestateEngine } from '../create-restate-engine.ts';

/**
 * A server whose executions move: `node moving-server.ts <database> <directory> [<ingress> <port>]`.
 * Without an ingress, they are in PostgreSQL. It prints its address.
 */
const [, , connectionString = '', directory = '', ingress, port] = process.argv;

const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'approve', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval') })
  .andAll({
    id: 'checks',
    steps: [
      andThen({ id: 'quick', execute: async () => 'quick' }),
      andThen({
        id: 'slow',
        execute: async ({ input, signal }) => {
          appendFileSync(`${directory}/slow.log`, `${String(input)}\n`);
          while (!existsSync(`${directory}/go`)) await delay(20, undefined, { signal });
          return 'slow';
        },
      }),
    ],
  })
  .andWaitForEvent({ id: 'paid', event: 'paid', key: 'all' })
  .andSleep({ id: 'nap', durationMs: 200 })
  .andThen({ id: 'last', execute: async ({ data }) => data });

const storage = createPostgresStorage({ connectionString, logger: silentLogger });
const engine =
  ingress === undefined
    ? undefined
    : createRestateEngine({ ingress, serve: { port: Number(port), host: '127.0.0.1' }, storedExecutions: 'finish' });
// Leases end soon, so that a process that renews them for too few executions, or for too many, fails.
const server = await createServer({ workflows: [order], storage, engine, port: 0, logger: false, leaseMs: 3_000 });
process.stdout.write(`${await server.listen()}\n`);
