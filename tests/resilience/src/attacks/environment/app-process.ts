/** A server whose surroundings fail, in its own process. The argument is its settings as JSON. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jwtAuth } from '@halyard/auth-jwt';
import type { User } from '@halyard/contracts';
import { Agent, createMemory, createWorkflow, type StepContext } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { steadyModel } from '../steady-model.ts';

export interface AppSettings {
  /** Default: in memory. */
  readonly connectionString?: string | undefined;
  readonly dataDir?: string | undefined;
  /** Of the embedded database. */
  readonly fsync?: boolean | undefined;
  readonly leaseMs?: number | undefined;
  /** The file to which each step body writes a line. */
  readonly bodies: string;
  readonly secret: string;
  /**
   * `remembered-tokens`: a token that was valid once is valid for ever. `hidden-failures`: a write
   * that fails is reported as done.
   */
  readonly plant?: 'hidden-failures' | 'remembered-tokens' | undefined;
}

const {
  bodies,
  connectionString,
  dataDir,
  fsync = false,
  leaseMs,
  plant,
  secret,
} = JSON.parse(process.argv[2] ?? '') as AppSettings;
const storage =
  connectionString !== undefined
    ? createPostgresStorage({ connectionString })
    : dataDir !== undefined
      ? createPostgresStorage({ dataDir, fsync })
      : undefined;
const Work = Type.Object({ ms: Type.Number() });
const logged = (name: string, act: (context: StepContext<{ ms: number }>) => Promise<void>) => ({
  id: name,
  execute: async (context: StepContext<{ ms: number }>) => {
    appendFileSync(bodies, `${context.idempotencyKey}\n`);
    await act(context);
    return context.data;
  },
});
const provider = jwtAuth({ secret });
const remembered = new Map<string, User>();

const server = await createServer({
  agents: [new Agent({ id: 'assistant', model: steadyModel({ pieces: 1, pieceDelayMs: 0 }) })],
  workflows: [
    createWorkflow({ id: 'nap', input: Work })
      .andThen(logged('before', async () => {}))
      .andSleep({ id: 'sleep', durationMs: ({ data }) => data.ms })
      .andThen(logged('after', async () => {})),
    createWorkflow({ id: 'work', input: Work })
      .andThen(logged('long', ({ data, signal }) => delay(data.ms, undefined, { signal })))
      .andThen(logged('short', async () => {})),
  ],
  memory: createMemory({ ...(storage && { storage }) }),
  ...(storage && { storage }),
  ...(leaseMs !== undefined && { leaseMs }),
  auth: {
    mode: 'policy',
    provider:
      plant !== 'remembered-tokens'
        ? provider
        : {
            type: 'planted',
            verifyToken: async (token, request) => {
              const user = remembered.get(token) ?? (await provider.verifyToken(token, request));
              if (user !== null) remembered.set(token, user);
              return user;
            },
          },
    rejectedPerMinute: false,
  },
  logger: false,
  limits: { executeWaitMs: 1 },
  signals: false,
});
if (plant === 'hidden-failures')
  server.app.addHook('onSend', async (request, reply) => {
    if (request.method === 'POST' && reply.statusCode >= 500) reply.code(200);
  });
process.once('disconnect', () => process.exit(1));
process.send?.(await server.listen({ port: 0, host: '127.0.0.1' }));
