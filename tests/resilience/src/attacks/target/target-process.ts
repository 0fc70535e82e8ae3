/**
 * A server to attack, with agents, tools and workflows of every kind. The argument is its settings
 * as JSON. Prints its address when it listens.
 */
import { jwtAuth } from '@halyard/auth-jwt';
import type { AuthProvider } from '@halyard/contracts';
import { createMemory, createTool } from '@halyard/core';
import { keywordEmbedding } from '@halyard/core/testing';
import { mcpServer } from '@halyard/mcp';
import {
  createInMemoryStorage,
  createInMemoryTelemetryStore,
  createInMemoryVectorStore,
} from '@halyard/memory-in-memory';
import { type AuthOptions, createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { TargetSettings } from '../harness/target.ts';
import { audience, consoleKey, issuer, secret } from '../harness/tokens.ts';
import { agentsOf } from './agents.ts';
import { plantBug } from './plants.ts';
import { workflowsOf } from './workflows.ts';

const { limits, mode = 'policy', plant, routesOnly = false } = JSON.parse(process.argv[2] ?? '{}') as TargetSettings;
const storage = createInMemoryStorage();
const memory = createMemory({
  storage,
  vectors: createInMemoryVectorStore(),
  embedding: keywordEmbedding(['roses', 'tea']),
  workingMemory: { scope: 'conversation' },
  semanticRecall: { scope: 'user', semanticThreshold: 0 },
});
const agents = agentsOf(memory, plant);
const workflows = workflowsOf(agents);
const whoami = createTool({
  name: 'whoami',
  description: 'Returns its caller',
  input: Type.Object({}),
  execute: (_, { user }) => `caller=${user?.sub ?? 'nobody'}`,
});
const server = await createServer({
  agents,
  workflows,
  memory,
  storage,
  telemetry: { store: createInMemoryTelemetryStore() },
  mcpServers: [
    mcpServer({
      id: 'own',
      version: '1.0.0',
      tools: [whoami],
      agents: agents.filter(({ id }) => id === 'parrot'),
      workflows: workflows.filter(({ id }) => id === 'approval'),
    }),
  ],
  ...(mode !== 'none' && { auth: authOf(mode) }),
  enableSwaggerUI: true,
  logger: false,
  signals: false,
  secret: 'what the approvals of the attacked server are signed with',
  limits: { executeWaitMs: 300, busyWaitMs: 300, suspendWaitMs: 500, streamsPerCaller: 500, ...limits },
});
if (routesOnly)
  server.app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    if (url !== undefined) void reply.header('x-attacked-route', `${request.method} ${url}`);
    done();
  });
plantBug(server.app.server, plant);
// The parent process has ended: end too.
process.stdin
  .once('end', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
  .unref();
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);

function authOf(accessMode: 'policy' | 'legacy'): AuthOptions {
  const provider = jwtAuth({ secret, verifyOptions: { audience, issuer } });
  return {
    mode: accessMode,
    provider: plant === 'unsigned-tokens' ? acceptingUnsigned(provider) : provider,
    consoleKey,
    rejectedPerMinute: false,
  };
}

/** The bug: the algorithm `none` counts as a signature. */
function acceptingUnsigned(provider: AuthProvider): AuthProvider {
  return {
    ...provider,
    verifyToken: (token, request) => {
      const [header = '', claims = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
      return header.includes('"none"') ? (JSON.parse(claims) as { sub: string }) : provider.verifyToken(token, request);
    },
  };
}
