import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { reportListening } from './report-listening.ts';
import { scriptedModel } from './scripted-model.ts';
import { seededStorage } from './seeded-storage.ts';
import { addOne, agentId, weatherIn, weatherTool, workflowId } from './workload.ts';

/**
 * Halyard, built, with its default options. Only the limit of streams is raised, for 256 clients at
 * one address.
 *
 * `STORED_MESSAGES`: the number of stored messages at start. `JWT_SECRET`: requests need a token
 * signed with this secret. `TELEMETRY=off`: no spans are recorded.
 */

const storage = await seededStorage(Number(process.env['STORED_MESSAGES'] ?? 0));

const weather = createTool({
  name: weatherTool.name,
  description: weatherTool.description,
  input: Type.Object({ city: Type.String() }, { additionalProperties: false }),
  execute: async ({ city }) => weatherIn(city),
});

const assistant = new Agent({
  id: agentId,
  name: 'Assistant',
  description: 'Answers',
  model: scriptedModel,
  tools: [weather],
});

const five = createWorkflow({ id: workflowId, input: Type.Object({ n: Type.Number() }) })
  .andThen({ id: 'one', execute: ({ data }) => addOne(data) })
  .andThen({ id: 'two', execute: ({ data }) => addOne(data) })
  .andThen({ id: 'three', execute: ({ data }) => addOne(data) })
  .andThen({ id: 'four', execute: ({ data }) => addOne(data) })
  .andThen({ id: 'five', execute: ({ data }) => addOne(data) });

/** Loaded only with `JWT_SECRET`, because an app without authentication would not import it. */
const auth =
  process.env['JWT_SECRET'] === undefined ? undefined : { provider: (await import('@halyard/auth-jwt')).jwtAuth() };

const server = await createServer({
  agents: [assistant],
  workflows: [five],
  memory: createMemory({ storage }),
  storage,
  ...(auth !== undefined && { auth }),
  ...(process.env['TELEMETRY'] === 'off' && { telemetry: false as const }),
  host: '127.0.0.1',
  port: 0,
  logger: { level: 'warn' },
  limits: { streamsPerCaller: 500 },
});
reportListening(Number(new URL(await server.listen()).port));
