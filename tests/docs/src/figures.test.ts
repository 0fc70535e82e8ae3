import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  defaultLimits,
  fixedLimits,
  type ServerLimits,
} from '../../../packages/server-fastify/src/admission/limits.ts';
import { root } from './documents.ts';

/**
 * A default or limit in the code, and the text that states it. Whoever changes one of them finds
 * the other here.
 */
const figures: readonly (readonly [source: string, code: string, document: string, text: string])[] = [
  [
    'server-fastify/src/runtime/metrics/known-values.ts',
    'maxFurther = 100;',
    'docs/observability.md',
    'the first 100 are labels',
  ],
  [
    'server-fastify/src/runtime/metrics/event-loop.ts',
    'windowMs = 10_000;',
    'docs/observability.md',
    'in the last 10 seconds',
  ],
  ['server-fastify/src/http/count-requests.ts', 'clientClosedRequest = 499;', 'docs/observability.md', 'status 499'],
  ['core/src/workflow/engine/driver/backlog.ts', 'maxBacklog = 1_000;', 'docs/observability.md', '1 000 at most'],
  ['telemetry/src/exporter-settings.ts', '|| 60_000;', 'docs/telemetry.md', 'every 60 seconds'],
  ['server-fastify/src/http/listen-address.ts', 'defaultPort = 3141;', 'docs/server.md', '3141'],
  ['core/src/schema/untrusted/client-schemas.ts', 'timeLimitMs = 1_000', 'docs/limits.md', 'more than 1 s'],
  ['core/src/schema/untrusted/client-schemas.ts', 'memoryLimitMb = 128', 'docs/limits.md', '128 MB of heap'],
  ['core/src/schema/untrusted/schema-threads.ts', 'maxThreads = 3;', 'docs/limits.md', 'up to three threads'],
  ['server-fastify/src/runtime/lifecycle/retention.ts', '30 * dayMs', 'docs/server.md', 'deleted after 30 days'],
  [
    'server-fastify/src/runtime/lifecycle/retention.ts',
    'TelemetryDays = 14;',
    'docs/server.md',
    'deleted after 14 days',
  ],
  [
    'server-fastify/src/access/auth-options.ts',
    'Default 20.',
    'docs/access.md',
    'After 20 rejected credentials in a minute',
  ],
  ['server-fastify/src/access/authorize.ts', 'verifyLimitMs = 5_000;', 'docs/access.md', '`timeoutMs` (5 s)'],
  ['server-fastify/src/build-services.ts', 'LeaseMs = 10_000;', 'docs/deployment.md', '| `leaseMs` | 10 s |'],
  [
    'core/src/workflow/engine/workflow-runtime.ts',
    'leaseMs = 10_000,',
    'docs/workflows/failures.md',
    '(`leaseMs`, 10 s)',
  ],
  ['core/src/workflow/engine/driver/executor.ts', 'concurrency: 256,', 'docs/queues.md', '256 executions'],
  [
    'core/src/workflow/engine/driver/executor.ts',
    'concurrency: 256,',
    'docs/workflows.md',
    '| executions that run at the same time in a process | 256.',
  ],
  [
    'core/src/workflow/engine/workflow-runtime.ts',
    'maxWaiting ?? 10_000',
    'docs/workflows.md',
    'that wait for a slot | 10 000,',
  ],
  [
    'core/src/workflow/engine/workflow-runtime.ts',
    'maxWaiting ?? 10_000',
    'docs/queues.md',
    'When 10 000 executions of a workflow',
  ],
  [
    'core/src/workflow/steps/loop.ts',
    'MaxIterations = 1_000;',
    'docs/workflows.md',
    'after 1 000 iterations (`maxIterations`)',
  ],
  ['core/src/agent/generation-options.ts', 'temperature: 0.7,', 'docs/agents.md', 'temperature 0.7'],
  ['core/src/agent/generation-options.ts', 'maxOutputTokens: 4000,', 'docs/agents.md', 'maxOutputTokens 4000'],
  ['core/src/agent/generation-options.ts', 'MaxSteps: number = 10;', 'docs/agents.md', '`maxSteps` (10, at most 50)'],
  ['server-fastify/src/api/routes/agents/schemas.ts', 'minimum: 1, maximum: 50,', 'docs/agents.md', 'at most 50'],
  ['core/src/agent/agent-options.ts', 'firstTokenMs: 60_000,', 'docs/agents.md', '| `firstTokenMs` | `60_000` |'],
  ['core/src/agent/agent-options.ts', 'stepMs: 120_000,', 'docs/agents.md', '| `stepMs` | `120_000` |'],
  ['core/src/agent/agent-options.ts', 'toolMs: 60_000,', 'docs/agents.md', '| `toolMs` | `60_000` |'],
  [
    'core/src/memory/recall/message-index.ts',
    'maxWaiting = 50_000;',
    'docs/memory.md',
    'Up to 50 000 messages can wait',
  ],
  [
    'memory-in-memory/src/telemetry/in-memory-telemetry-store.ts',
    'maxSpans = 10_000,',
    'docs/observability.md',
    '10 000 spans',
  ],
  [
    'memory-in-memory/src/telemetry/in-memory-telemetry-store.ts',
    'maxLogs = 50_000,',
    'docs/observability.md',
    '50 000 log lines',
  ],
  [
    'memory-in-memory/src/executions/execution-table.ts',
    'maxFinished = 10_000,',
    'docs/workflows/operating.md',
    'the last 10 000 finished',
  ],
  [
    'memory-in-memory/src/executions/execution-table.ts',
    '64 * 1024 * 1024',
    'docs/workflows/operating.md',
    'up to about 64 MiB',
  ],
];

/** The default of a limit, and the text that states it outside of `docs/limits.md`. */
const limits: readonly (readonly [name: keyof ServerLimits, value: number, document: string, text: string])[] = [
  ['bodyBytes', 8 * 1024 * 1024, 'docs/errors.md', 'agent routes 8 MiB'],
  ['jsonDepth', 64, 'docs/errors.md', 'nested deeper than 64 levels'],
  ['jsonValues', 100_000, 'docs/errors.md', 'more than 100 000 values'],
  ['urlBytes', 8 * 1024, 'docs/errors.md', 'longer than 8 KiB'],
  ['webSocketsPerProcess', 1000, 'docs/server.md', 'accepts 1000 connections'],
  ['webSocketMessageBytes', 64 * 1024, 'docs/server.md', 'limited to 64 KiB'],
  ['webSocketBufferBytes', 1024 * 1024, 'docs/observability.md', 'when 1 MiB is buffered'],
  ['pingMs', 15_000, 'docs/server.md', 'every 15 s'],
  ['shutdownGraceMs', 25_000, 'docs/server.md', 'for up to 25 s'],
  ['shutdownGraceMs', 25_000, 'docs/deployment.md', '| `limits.shutdownGraceMs` | 25 s |'],
  ['executeWaitMs', 120_000, 'docs/workflows/http.md', 'After two minutes (`limits.executeWaitMs`)'],
  ['suspendWaitMs', 10_000, 'docs/workflows/http.md', 'up to 10 s (`limits.suspendWaitMs`)'],
  ['busyWaitMs', 60_000, 'docs/agents.md', 'at most 60 s (`limits: { busyWaitMs }`)'],
  ['readinessMs', 2_000, 'docs/deployment.md', '`/readyz` waits 2 s for the database'],
  ['executionValueBytes', 4 * 1024 * 1024, 'docs/workflows.md', '[4 MiB each](limits.md#sizes)'],
];

it.each(limits)('limits.%s: %s, as stated in %s: %s', (name, value, document, text) => {
  expect({ ...defaultLimits, ...fixedLimits }[name]).toBe(value);
  expect(read(document)).toContain(text);
});

it.each(figures)('%s: %s, as stated in %s: %s', (source, code, document, text) => {
  expect(read(join('packages', source))).toContain(code);
  // The formatter aligns the columns of narrow tables.
  expect(read(document).replaceAll(/ +/g, ' ')).toContain(text);
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
