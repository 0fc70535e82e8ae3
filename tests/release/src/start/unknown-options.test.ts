import { customAuth } from '@halyard/auth-custom';
import { jwtAuth } from '@halyard/auth-jwt';
import { ConfigurationError } from '@halyard/contracts';
import {
  Agent,
  andThen,
  createMemory,
  createWorkflow,
  detectPromptInjection,
  redactPii,
  tokenWindow,
} from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { mcpClient, mcpServer, mcpTools } from '@halyard/mcp';
import {
  createInMemoryStorage,
  createInMemoryTelemetryStore,
  createInMemoryVectorStore,
} from '@halyard/memory-in-memory';
import { openTelemetry } from '@halyard/telemetry';
import { expect, it } from 'vitest';

const model = scriptedModel('Hello.');
const secret = 'a secret of more than thirty-two bytes';
/** As JavaScript passes options: without the compiler's checks. */
const untyped = (options: object): never => options as never;

const agent = (options: object) => new Agent(untyped({ id: 'support', model, ...options }));
const workflow = (options: object) => createWorkflow(untyped({ id: 'order', ...options }));
const auth = (options: object) => customAuth(untyped({ type: 'own', verifyToken: () => null, ...options }));

it.each<readonly [owner: string, unknown: string, nearest: string, make: () => unknown]>([
  ['`generation` of agent "support"', 'temprature', 'temperature', () => agent({ generation: { temprature: 0 } })],
  ['`retries` of agent "support"', 'maxRetry', 'maxRetries', () => agent({ retries: { maxRetry: 0 } })],
  ['`hooks` of agent "support"', 'onStepFinish', 'onStepEnd', () => agent({ hooks: { onStepFinish: () => {} } })],
  ['toTool of agent "support"', 'descripton', 'description', () => agent({}).toTool(untyped({ descripton: 'Asks' }))],
  ['`retries` of workflow "order"', 'attempt', 'attempts', () => workflow({ retries: { attempt: 3 } })],
  ['`hooks` of workflow "order"', 'onFinished', 'onFinish', () => workflow({ hooks: { onFinished: () => {} } })],
  [
    'The schedule of workflow "order"',
    'timezone',
    'timeZone',
    () => workflow({}).schedule(untyped({ cron: '@daily', timezone: 'UTC' })),
  ],
  [
    '`retries` of step "price"',
    'attempt',
    'attempts',
    () => andThen(untyped({ id: 'price', execute: () => 1, retries: { attempt: 3 } })),
  ],
  [
    '`semanticRecall` of createMemory',
    'semanticLimits',
    'semanticLimit',
    () => createMemory(untyped({ semanticRecall: { semanticLimits: 3 } })),
  ],
  ['`titles` of createMemory', 'maxLenght', 'maxLength', () => createMemory(untyped({ titles: { maxLenght: 3 } }))],
  ['tokenWindow', 'maxToken', 'maxTokens', () => tokenWindow(untyped({ maxToken: 8_000 }))],
  ['redactPii', 'type', 'types', () => redactPii(untyped({ type: ['email'] }))],
  ['detectPromptInjection', 'pattern', 'patterns', () => detectPromptInjection(untyped({ pattern: [] }))],
  [
    'createInMemoryStorage',
    'conversation',
    'conversations',
    () => createInMemoryStorage(untyped({ conversation: {} })),
  ],
  ...(
    [
      ['conversations', 'maxMessage', 'maxMessages'],
      ['executions', 'maxFinish', 'maxFinished'],
      ['streams', 'maxStream', 'maxStreams'],
      ['telemetry', 'maxSpan', 'maxSpans'],
      ['workingMemory', 'maxUser', 'maxUsers'],
    ] as const
  ).map(
    ([limits, unknown, nearest]) =>
      [
        `\`${limits}\` of createInMemoryStorage`,
        unknown,
        nearest,
        () => createInMemoryStorage(untyped({ [limits]: { [unknown]: 1 } })),
      ] as const,
  ),
  ['createInMemoryVectorStore', 'maxVector', 'maxVectors', () => createInMemoryVectorStore(untyped({ maxVector: 1 }))],
  ['createInMemoryTelemetryStore', 'maxSpan', 'maxSpans', () => createInMemoryTelemetryStore(untyped({ maxSpan: 1 }))],
  ['customAuth', 'timeout', 'timeoutMs', () => auth({ timeout: 1 })],
  ['`cache` of customAuth', 'ttl', 'ttlMs', () => auth({ cache: { ttl: 1, ttlMs: 1 } })],
  ['jwtAuth', 'secrets', 'secret', () => jwtAuth(untyped({ secret, secrets: [] }))],
  [
    '`verifyOptions` of jwtAuth',
    'audiences',
    'audience',
    () => jwtAuth({ secret, verifyOptions: untyped({ audiences: [] }) }),
  ],
  [
    '`jwks` of jwtAuth',
    'cache',
    'cacheMs',
    () => jwtAuth({ jwksUri: 'https://id.example/keys', jwks: untyped({ cache: 1 }) }),
  ],
  ['MCP client "files"', 'urls', 'url', () => mcpClient(untyped({ id: 'files', urls: 'http://127.0.0.1:1' }))],
  ['MCP server "shop"', 'agent', 'agents', () => mcpServer(untyped({ id: 'shop', version: '1', agent: [] }))],
  [
    'mcpTools',
    'needApproval',
    'needsApproval',
    () => mcpTools(mcpClient({ id: 'files', command: 'none' }), untyped({ needApproval: true })),
  ],
  ['openTelemetry', 'closeTimeout', 'closeTimeoutMs', () => openTelemetry(untyped({ closeTimeout: 1 }))],
])('%s names its unknown option %s', async (owner, unknown, nearest, make) => {
  const made = async (): Promise<unknown> => make();
  await expect(made()).rejects.toThrow(
    new ConfigurationError(`${owner} has no option "${unknown}". Did you mean "${nearest}"?`),
  );
});

it.each<readonly [missing: string, says: string, make: () => unknown]>([
  [
    'both the url and the command of an MCP client',
    'MCP client "files" needs a `url` or a `command`',
    () => mcpClient(untyped({ id: 'files' })),
  ],
  [
    'the number of tokens of a window',
    'maxTokens of tokenWindow must be an integer from 1 on',
    () => tokenWindow(untyped({})),
  ],
])('reports without %s: %s', (_missing, says, make) => {
  expect(make).toThrow(new ConfigurationError(says));
});

it('accepts hooks that are an object with a state of its own', () => {
  class Counter {
    runs = 0;
    onStart(): void {
      this.runs += 1;
    }
  }
  expect(() => agent({ hooks: new Counter() })).not.toThrow();
});
