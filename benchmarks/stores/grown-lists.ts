import { Agent, createMemory, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { growthFill } from '../../packages/memory-postgres/src/testing/growth-fill.ts';
import { startPostgresServer } from '../../packages/memory-postgres/src/testing/postgres-server.ts';
import { scriptedModel } from '../apps/scripted-model.ts';

/*
 * Measures the lists and reads of the API with 200 000 executions of 40 days, 500 000 messages and a million spans in PostgreSQL.
 * Run: node --conditions=@halyard/source benchmarks/stores/grown-lists.ts
 */
const dayMs = 86_400_000;
const now = Math.floor(Date.now() / dayMs) * dayMs;
const recently = new Date(now - dayMs).toISOString();
const routes = [
  '/workflows/executions?limit=20',
  '/workflows/executions?limit=100',
  '/workflows/executions?limit=20&events=false',
  '/workflows/executions?limit=20&status=error',
  '/workflows/executions?limit=20&status=suspended',
  '/workflows/executions?limit=20&workflowId=w-7',
  '/workflows/executions?limit=20&workflowId=w-0&status=error',
  '/workflows/executions?limit=20&userId=user-7',
  '/workflows/executions?limit=20&userId=user-7&status=error',
  '/workflows/executions?limit=20&metadata.tenant=t',
  '/workflows/executions?limit=20&after=run-100000',
  '/workflows/executions?limit=20&quarantined=true',
  '/workflows/w-7/executions/run-100007',
  '/workflows/w-7/executions/run-100007/state',
  '/workflows/w-7/executions/run-100007/stream',
  '/api/memory/conversations?agentId=agent-7&userId=user-7',
  '/api/memory/conversations/c-7/messages?agentId=agent-7&limit=100',
  '/observability/conversations?limit=20',
  '/observability/conversations/c-7/messages',
  '/observability/users/user-7/export',
  '/api/approvals',
  '/approvals',
  '/agents/agent-7/history',
  '/observability/traces?limit=20',
  '/observability/traces?limit=20&entityId=agent-7',
  '/observability/traces?limit=20&entityType=agent',
  '/observability/traces?limit=20&status=error',
  '/observability/traces?limit=20&status=ok',
  '/observability/traces?limit=20&userId=user-7',
  `/observability/traces?limit=20&from=${recently}`,
  '/observability/traces?limit=20&text=lamp',
  '/observability/traces/t-77777',
  '/observability/spans/t-77777-2',
  '/observability/traces/t-77777/logs',
  '/observability/spans/t-77777-1/logs',
  '/observability/logs?limit=100',
  '/observability/logs?limit=100&severityText=ERROR',
  `/observability/logs?limit=100&from=${recently}`,
  '/api/logs?limit=100',
  '/api/logs?limit=100&level=error',
  '/api/logs?limit=100&agentId=agent-7',
  '/api/logs?limit=100&workflowId=w-7',
  '/api/logs?limit=100&executionId=run-7',
  '/api/logs?limit=100&conversationId=c-7',
  '/observability/status',
  '/observability/metrics?range=24h&groupBy=agent',
  '/observability/metrics?range=14d&groupBy=agent',
  '/observability/metrics?range=24h&groupBy=user',
  '/observability/system',
  '/metrics',
];

const database = await startPostgresServer();
const storage = createPostgresStorage({ connectionString: database.connectionString });
let server: Awaited<ReturnType<typeof createServer>> | undefined;
try {
  await storage.opened?.();
  for (const statement of growthFill(now)) await database.query(statement);
  await database.query('vacuum analyze');
  server = await createServer({
    storage,
    agents: [
      new Agent({
        id: 'agent-7',
        name: 'agent-7',
        model: scriptedModel,
        instructions: '',
        memory: createMemory({ storage }),
      }),
    ],
    workflows: [createWorkflow({ id: 'w-7' }).andThen({ id: 'a', execute: () => 1 })],
    logger: 'silent',
    retention: false,
  });
  const origin = await server.listen({ port: 0 });
  for (const route of routes) await measure(`${origin}${route}`);
} finally {
  await server?.close();
  await storage.close();
  await database.remove();
}

async function measure(url: string): Promise<void> {
  const took: number[] = [];
  let bytes = 0;
  for (let time = -5; time < 21; time += 1) {
    const began = performance.now();
    const response = await fetch(url);
    const body = await response.text();
    if (time >= 0) took.push(performance.now() - began);
    if (!response.ok) {
      console.log(`${new URL(url).pathname}: ${response.status} ${body.slice(0, 200)}`);
      return;
    }
    bytes = body.length;
  }
  took.sort((one, other) => one - other);
  const at = (share: number): string => (took[Math.floor(took.length * share)] ?? 0).toFixed(1);
  const { pathname, search } = new URL(url);
  console.log(`${pathname}${search}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; ${bytes} characters`);
}
