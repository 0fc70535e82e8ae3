// Starts a server, then the command in the arguments with its address.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Agent, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';

const [, , command, ...args] = process.argv;
const order = createWorkflow({ id: 'order' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => (resumeData === undefined ? suspend('Go on?') : 'resumed'),
});
const server = await createServer({
  agents: [
    new Agent({ id: 'assistant', model: scriptedModel('Hello there.') }),
    new Agent({ id: 'endless', model: scriptedModel({ text: ['On'], hangs: true }) }),
  ],
  workflows: [order],
  logger: false,
});
const url = await server.listen({ port: 0 });
try {
  await promisify(execFile)(command, [...args, url], { timeout: 60_000 });
} finally {
  await server.close();
}
