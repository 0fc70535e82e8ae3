import type { SpanRecord, TelemetryStore } from '@halyard/contracts';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';

/*
 * Measures what the overview of the console asks of the API, with a million spans of the last 14 days in 200 000 runs, in a PostgreSQL database, which it fills if it is empty.
 * Run: node --conditions=@halyard/source benchmarks/overview.ts postgres://… [runs]
 */
const [connectionString = '', runs = '200000'] = process.argv.slice(2);
const runCount = Number(runs);
const runsInBatch = 200;
const dayMs = 86_400_000;
const now = Date.now();

const storage = createPostgresStorage({ connectionString });
if (storage.telemetry !== undefined && (await storage.telemetry.counts()).spans === 0) await fill(storage.telemetry);
const server = await createServer({ storage, logger: 'silent', enableSwaggerUI: false });
const origin = await server.listen({ port: 0 });
for (const range of ['1h', '24h', '14d'])
  for (const groupBy of ['none', 'agent', 'workflow', 'model', 'user'])
    await measure(`range=${range}&groupBy=${groupBy}`);
await server.close();

async function measure(query: string): Promise<void> {
  const took: number[] = [];
  let requests = 0;
  for (let time = 0; time < 25; time += 1) {
    const began = performance.now();
    // Another limit is another question: no answer is shared.
    const response = await fetch(`${origin}/observability/metrics?${query}&limit=${10 + time}`);
    const { data } = (await response.json()) as { data: { totals: { requests: number } } };
    took.push(performance.now() - began);
    ({ requests } = data.totals);
  }
  took.sort((one, other) => one - other);
  const at = (share: number): string => (took[Math.floor(took.length * share)] ?? 0).toFixed(1);
  console.log(`${query}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; ${requests} requests`);
}

async function fill(telemetry: TelemetryStore): Promise<void> {
  const began = performance.now();
  for (let first = 0; first < runCount; first += runsInBatch) {
    const numbers = Array.from({ length: Math.min(runsInBatch, runCount - first) }, (_, index) => first + index);
    await telemetry.write({ spans: numbers.flatMap(spansOf), logs: [] });
    if (first % 20_000 === 0) console.log(`${first} runs after ${Math.round((performance.now() - began) / 1_000)} s`);
  }
  console.log(await telemetry.counts());
}

/** A run of one of 10 agents, every fifth within one of 5 workflows, for one of 1 000 users: two calls of one of 4 models, a tool, and reading the memory. */
function spansOf(run: number): readonly SpanRecord[] {
  const startTime = now - (1 - run / runCount) * 14 * dayMs;
  const [agent, user] = [`agent-${run % 10}`, `user-${(run * 7) % 1_000}`];
  const isOfWorkflow = run % 5 === 0;
  const durationMs = 400 + ((run * 7_919) % 4_000);
  const entity = isOfWorkflow
    ? { 'entity.type': 'workflow', 'entity.id': `workflow-${run % 25}` }
    : { 'entity.type': 'agent', 'entity.id': agent };
  const span = (index: number, name: string, attributes: SpanRecord['attributes']): SpanRecord => ({
    traceId: (run + 1).toString(16).padStart(32, '0'),
    spanId: (run * 16 + index + 1).toString(16).padStart(16, '0'),
    parentSpanId: index === 0 ? null : (run * 16 + 1).toString(16).padStart(16, '0'),
    isEntry: index === 0,
    name,
    kind: 0,
    startTime: startTime + index * 20,
    endTime: startTime + index * 20 + durationMs / (index + 1),
    attributes,
    status: { code: run % 50 === 0 ? 2 : 1 },
    events: [],
    links: [],
    resource: { 'service.name': 'bench' },
    instrumentationScope: { name: 'halyard' },
  });
  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': `model-${run % 4}`,
    'gen_ai.agent.id': agent,
    'gen_ai.usage.input_tokens': 800 + (run % 500),
    'gen_ai.usage.output_tokens': 100 + (run % 90),
    'gen_ai.usage.cost': 0.002,
    'gen_ai.input.messages': `[{"role":"user","content":"${'word '.repeat(60)}${run}"}]`,
  };
  return [
    span(0, 'run', { ...entity, 'user.id': user }),
    span(1, 'read memory', { 'halyard.memory.operation': 'read' }),
    span(2, 'chat', call),
    span(3, 'execute_tool search', { 'entity.type': 'tool', 'entity.id': 'search' }),
    span(4, 'chat', call),
  ];
}
