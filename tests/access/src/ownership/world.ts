import type { Storage, UserRecord, VectorStore } from '@halyard/contracts';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { keywordEmbedding, scriptedModel } from '@halyard/core/testing';
import {
  createInMemoryStorage,
  createInMemoryTelemetryStore,
  createInMemoryVectorStore,
} from '@halyard/memory-in-memory';
import type { AuthOptions } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { UserOf } from '../../../../packages/server-fastify/src/http/endpoints/endpoint-call.ts';
import { paid, payingAgents, payingWorkflows } from '../../../../packages/server-fastify/src/testing/approvals.ts';
import { userOf as verified } from '../../../../packages/server-fastify/src/testing/owned-request.ts';
import { serve } from '../../../../packages/server-fastify/src/testing/serve.ts';
import { workflows } from '../../../../packages/server-fastify/src/testing/workflows.ts';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

/** A text that all data of Ada contains, and no other data. */
export const secret = 'roses-of-ada';
/** The same as a number, and its result. */
export const secretNumbers = ['424242', '848484'];

/** A server with data of users, and access to its stores. */
export interface World {
  readonly origin: string;
  readonly storage: Storage;
  /** Everything that is stored of a user, as text. */
  readonly snapshot: (user: string) => Promise<string>;
  /** Deletes all data. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface WorldOptions {
  readonly storage?: Storage;
  /** Replaces the storage and the vectors of the server. */
  readonly seen?: (storage: Storage) => Storage;
  readonly seenVectors?: (vectors: VectorStore) => VectorStore;
  /** Default: the user in a header. */
  readonly userOf?: UserOf;
  /** Replaces access control. */
  readonly auth?: AuthOptions;
}

export async function openWorld({
  auth,
  seen = same,
  seenVectors = same,
  storage = createInMemoryStorage(),
  userOf = verified,
}: WorldOptions = {}): Promise<World> {
  const vectors = createInMemoryVectorStore();
  const telemetry = createInMemoryTelemetryStore();
  const memory = createMemory({
    storage: seen(storage),
    vectors: seenVectors(vectors),
    embedding: keywordEmbedding(['roses', 'tea']),
    workingMemory: { scope: 'conversation' },
    semanticRecall: { scope: 'user', semanticThreshold: 0 },
  });
  const server = await serve([], {
    agents: [parrot, ...payingAgents],
    workflows: [...workflows, ...payingWorkflows, repeat],
    storage: seen(storage),
    memory,
    telemetry: { store: telemetry },
    limits: unreachableLimits,
    ...(auth === undefined ? { userOf } : { auth }),
  });
  return {
    origin: server.origin,
    storage,
    snapshot: async (user) => {
      await memory.flush();
      await untilBulkOperationsEnd(storage);
      const rows: UserRecord[] = [];
      for await (const row of storage.users.export(user)) rows.push(row);
      const ids = rows.flatMap((row) => (row.type === 'execution' ? [row.execution.id] : []));
      const journals = await Promise.all(ids.map((id) => storage.executions.journal('anyone', id)));
      const query = { embedding: [1, 1, 1], userId: user, limit: 1_000, threshold: 0 };
      return JSON.stringify([rows, journals, await vectors.search('anyone', query), paid.length]);
    },
    clear: async () => {
      await memory.flush();
      for (const user of ['ada', 'bob'])
        await Promise.all([storage.users.delete(user), vectors.deleteUser(user), telemetry.deleteUser(user)]);
    },
    close: async () => {
      await server.close();
      await memory.close();
      await storage.close();
    },
  };
}

/** They change executions after the reply. */
async function untilBulkOperationsEnd({ executions }: Storage): Promise<void> {
  const running = {
    parentExecutionId: null,
    workflowId: 'halyard:bulk',
    status: 'running',
    limit: 100,
    offset: 0,
  } as const;
  const found = await executions.list('anyone', running);
  for (const { id } of found.executions) {
    for (let isRunning = true; isRunning;) {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      const stop = executions.watch(id, () => resolve());
      isRunning = (await executions.find('anyone', id))?.status === 'running';
      if (isRunning) await changed;
      stop();
    }
  }
}

const same = <Value>(value: Value): Value => value;

/** Returns its input about users' data as JSON. */
const parrot = new Agent({
  id: 'parrot',
  model: scriptedModel(({ prompt }) =>
    JSON.stringify({ texts: [...new Set(JSON.stringify(prompt).match(/roses-of-ada|tea of \w+/g))].join() }),
  ),
  tools: [
    createTool({
      name: 'mirror',
      description: 'Returns its caller',
      input: Type.Object({}),
      execute: (_, { user, userId }) => ({ user: user ?? null, userId: userId ?? null }),
    }),
  ],
});

const repeat = createWorkflow({ id: 'repeat', name: 'Repeat', purpose: '' }).andAgent({
  id: 'say',
  agent: parrot,
  prompt: 'What do you know of roses?',
});
