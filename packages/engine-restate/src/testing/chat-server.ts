import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@halyard/contracts';
import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { createRestateEngine } from '../create-restate-engine.ts';

/**
 * A server with a durable agent: `node chat-server.ts <database> <directory> <ingress> <port>`. It
 * prints its address, and writes each call of a tool into `calls.log`. The second tool waits for
 * the file `go`.
 */
const [, , connectionString = '', directory = '', ingress = '', port = ''] = process.argv;

const tool = (name: string) =>
  createTool({
    name,
    description: '',
    input: { type: 'object' },
    execute: async (_, { signal }) => {
      appendFileSync(`${directory}/calls.log`, `${name} ${port}\n`);
      while (name === 'second' && !existsSync(`${directory}/go`)) await delay(20, undefined, { signal });
      return name;
    },
  });

const researcher = new Agent({
  id: 'researcher',
  durable: true,
  tools: [tool('first'), tool('second')],
  model: scriptedModel(({ prompt }) => {
    const results = prompt.filter(({ role }) => role === 'tool').length;
    if (results === 2) return { text: ['Both ', 'are done.'] };
    const toolName = results === 0 ? 'first' : 'second';
    return { text: ['Now ', `${toolName}. `], toolCalls: [{ toolName, toolCallId: toolName, input: {} }] };
  }),
});

const storage = createPostgresStorage({ connectionString, logger: silentLogger });
const server = await createServer({
  agents: [researcher],
  memory: createMemory({ storage }),
  storage,
  engine: createRestateEngine({ ingress, serve: { port: Number(port), host: '127.0.0.1' } }),
  port: 0,
  logger: false,
  // That of the stream and the lock, which a killed process leaves.
  leaseMs: 3_000,
  secret: 'shared',
});
process.stdout.write(`${await server.listen()}\n`);
