// Compiled by plain `tsc --strict --module nodenext` against the published declarations.
import { customAuth } from '@halyard/auth-custom';
import { jwtAuth, type JwtAuthOptions } from '@halyard/auth-jwt';
import { createClient } from '@halyard/client';
import {
  type AuthProvider,
  type HalyardError,
  isHalyardError,
  type RecorderFactory,
  type VectorStore,
} from '@halyard/contracts';
import { Agent, createTool, type ExecutionQueueOptions, type TextResult, type Tool } from '@halyard/core';
import type { McpServer } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { type McpClient, mcpClient, mcpServer, mcpTools } from '@halyard/mcp';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { createPgVectorStore } from '@halyard/memory-pgvector';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer, type HalyardServer, type ServerOptions } from '@halyard/server-fastify';
import { openTelemetry, type OpenTelemetryOptions } from '@halyard/telemetry';
import { Type } from '@sinclair/typebox';

const weather = createTool({
  name: 'getWeather',
  description: 'Current weather in a city',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => ({ city: city.toUpperCase(), sky: 'clear' }),
});
const assistant = new Agent({
  id: 'assistant',
  name: 'Assistant',
  description: 'Answers',
  instructions: 'Be brief.',
  model: scriptedModel('Clear.'),
  tools: [weather],
});

export const answer: Promise<TextResult> = assistant.generateText('How is the weather in Paris?');

const outside: McpClient = mcpClient({ id: 'outside', url: 'http://127.0.0.1:1/mcp' });
export const outsideTools: Promise<readonly Tool[]> = mcpTools(outside, { prefix: 'outside_', needsApproval: true });
const served: McpServer = mcpServer({ id: 'shop', version: '1.0.0', agents: [assistant], tools: [weather] });

const options: ServerOptions = {
  agents: [assistant],
  mcpServers: [outside, served],
  storage: createInMemoryStorage(),
  telemetry: { recordContent: false },
  port: 0,
};
export const server: Promise<HalyardServer> = createServer(options);

const storage = createPostgresStorage({ connectionString: 'postgres://127.0.0.1/halyard' });
const vectors: VectorStore = createPgVectorStore({ storage, dimensions: 1_536 });
export const queue: ExecutionQueueOptions = { concurrency: 2, maxWaiting: 9 };
export const durable: Promise<void> = vectors.close().then(() => storage.close());

const tokens: JwtAuthOptions = {
  secret: 'of 32 bytes or more, as it should be',
  mapUser: ({ sub = '' }) => ({ id: sub }),
};
export const providers: readonly AuthProvider[] = [
  jwtAuth(tokens),
  customAuth({ type: 'own', verifyToken: (token) => ({ id: token }), cache: { ttlMs: 1_000 } }),
];

const sending: OpenTelemetryOptions = { closeTimeoutMs: 2_000 };
export const recorder: RecorderFactory = openTelemetry(sending);

const typed = await createServer({ agents: [assistant] });
export const byClient: Promise<{ text: string }> = createClient<typeof typed>().agent('assistant').text('Hi');

export function codeOf(error: unknown): HalyardError['code'] | undefined {
  return isHalyardError(error) ? error.code : undefined;
}
