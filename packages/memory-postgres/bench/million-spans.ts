import type { LogRecord, SpanRecord, TelemetryStore, TraceFilter } from '@halyard/contracts';
import { Pool } from 'pg';
import { createPostgresStorage } from '../src/postgres-storage.ts';
import { PostgresTelemetryStore } from '../src/telemetry/postgres-telemetry-store.ts';
import { startPostgresServer } from '../src/testing/postgres-server.ts';
import { latency, once } from './measure.ts';

/*
 * Measures writing and reading a million spans in 200 000 traces of the last ten days, with entry spans also written when they start, and 200 000 logs.
 * Run: node --conditions=@halyard/source bench/million-spans.ts [traces]
 */
const traces = Number(process.argv[2] ?? 200_000);
const tracesInBatch = 200;
const spansInTrace = 5;
const writers = 2;
const dayMs = 86_400_000;
const now = Math.floor(Date.now() / dayMs) * dayMs + dayMs;
const page: TraceFilter = { limit: 50, offset: 0 };
const anyone = 'anyone';

const server = await startPostgresServer();
try {
  const pool = new Pool({ connectionString: server.connectionString });
  const storage = createPostgresStorage({ pool });
  const { telemetry } = storage;
  if (telemetry instanceof PostgresTelemetryStore) {
    await telemetry.counts();
    await write(telemetry);
    const began = performance.now();
    await pool.query('analyze');
    console.log(`analyzed in ${Math.round(performance.now() - began)} ms`);
    await read(telemetry);
    await pool.query('vacuum');
    console.log('after a vacuum:');
    await read(telemetry);
    await latency('a batch of 1 span into it', () => telemetry.write({ spans: [span(1, 1, true)], logs: [] }), 200);
    const size = await pool.query('select pg_size_pretty(pg_database_size(current_database())) as size');
    console.log(`the database has ${size.rows[0]?.size}`);
    await once('delete a user', () => telemetry.deleteUser('user-7'));
    await once('purge five days', () => telemetry.purge(now - 5 * dayMs));
    console.log(await telemetry.counts());
  }
  await storage.close();
  await pool.end();
} finally {
  await server.remove();
}

async function write(telemetry: TelemetryStore): Promise<void> {
  const began = performance.now();
  const cpu = process.cpuUsage();
  const took: number[] = [];
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < traces) {
      const first = next;
      next += tracesInBatch;
      const numbers = Array.from({ length: Math.min(tracesInBatch, traces - first) }, (_, index) => first + index);
      const ended = numbers.flatMap((trace) =>
        Array.from({ length: spansInTrace }, (_, index) => span(trace, index, true)),
      );
      const start = performance.now();
      await telemetry.write({ spans: numbers.map((trace) => span(trace, 0, false)), logs: [] });
      await telemetry.write({ spans: ended, logs: numbers.map(log) });
      took.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  const tookMs = performance.now() - began;
  const { system, user } = process.cpuUsage(cpu);
  const perSecond = Math.round((traces * spansInTrace * 1_000) / tookMs);
  const median = took.toSorted((one, other) => one - other)[took.length >> 1] ?? 0;
  console.log(
    `${traces * spansInTrace} spans and ${traces} lines written in ${Math.round(tookMs)} ms: ${perSecond} spans a second; 200 begun and 1000 ended spans ${Math.round(median)} ms; CPU of this process ${((user + system) / 10 / tookMs).toFixed(0)} %`,
  );
}

async function read(telemetry: TelemetryStore): Promise<void> {
  const some = span(traces >> 1, 2, true);
  const from = now - 2 * dayMs;
  await latency('traces', () => telemetry.listTraces(anyone, page), 200);
  await latency('traces, page 200', () => telemetry.listTraces(anyone, { ...page, offset: 10_000 }), 50);
  await latency(
    'traces of an entity (1 of 100)',
    () => telemetry.listTraces(anyone, { ...page, entityId: 'agent-7' }),
    200,
  );
  await latency('traces of a type (all)', () => telemetry.listTraces(anyone, { ...page, entityType: 'agent' }), 20);
  await latency('failed traces (1 of 50)', () => telemetry.listTraces(anyone, { ...page, status: 'error' }), 200);
  await latency('traces of two days', () => telemetry.listTraces(anyone, { ...page, from }), 50);
  await latency('traces of a user (1 of 1000)', () => telemetry.listTraces({ user: 'user-7' }, page), 100);
  await latency('a trace', () => telemetry.findTrace(anyone, some.traceId), 500);
  await latency('a span', () => telemetry.findSpan(anyone, some.spanId), 500);
  await latency(
    'runs of an agent',
    () => telemetry.listSpans(anyone, { ...page, entityType: 'agent', entityId: 'agent-7' }),
    100,
  );
  await latency('logs', () => telemetry.listLogs(anyone, page), 200);
  await latency('logs of a trace', () => telemetry.listLogs(anyone, { ...page, traceId: some.traceId }), 200);
  await latency('severe logs (1 of 50)', () => telemetry.listLogs(anyone, { ...page, minSeverity: 17 }), 100);
  await latency('counts', () => telemetry.counts(), 200);
}

function span(trace: number, index: number, hasEnded: boolean): SpanRecord {
  const startTime = now - (1 - trace / traces) * 10 * dayMs + index * 10;
  const isEntry = index === 0;
  const attributes = isEntry
    ? { 'entity.type': 'agent', 'entity.id': `agent-${trace % 100}`, 'user.id': `user-${trace % 1000}` }
    : { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'model', 'gen_ai.usage.input_tokens': trace };
  return {
    traceId: (trace + 1).toString(16).padStart(32, '0'),
    spanId: (trace * 16 + index + 1).toString(16).padStart(16, '0'),
    parentSpanId: isEntry ? null : (trace * 16 + 1).toString(16).padStart(16, '0'),
    isEntry,
    name: isEntry ? `invoke_agent agent-${trace % 100}` : 'chat model',
    kind: isEntry ? 0 : 2,
    startTime,
    endTime: hasEnded ? startTime + 100 : null,
    attributes: {
      ...attributes,
      'gen_ai.input.messages': `[{"role":"user","content":"${'word '.repeat(60)}${trace}"}]`,
    },
    status: { code: hasEnded && trace % 50 === 0 ? 2 : 0 },
    events: [],
    links: [],
    resource: { 'service.name': 'bench' },
    instrumentationScope: { name: 'halyard' },
  };
}

function log(trace: number): LogRecord {
  const { spanId, startTime, traceId } = span(trace, 1, true);
  const isSevere = trace % 50 === 0;
  return {
    timestamp: startTime,
    traceId,
    spanId,
    severityNumber: isSevere ? 17 : 9,
    severityText: isSevere ? 'ERROR' : 'INFO',
    body: 'the run has ended',
    attributes: {
      agentId: `agent-${trace % 100}`,
      userId: `user-${trace % 1000}`,
      conversationId: `c-${trace % 5000}`,
    },
  };
}
