import type { SpanRecord, TelemetryStore } from '@halyard/contracts';

const runsInBatch = 200;
const dayMs = 86_400_000;

/** Writes runs of five spans, evenly over the last 14 days. */
export async function writeSampleRuns(telemetry: TelemetryStore, count: number): Promise<void> {
  const now = Date.now();
  for (let first = 0; first < count; first += runsInBatch) {
    const runs = Array.from({ length: Math.min(runsInBatch, count - first) }, (_, index) => first + index);
    const spans = runs.flatMap((run) => spansOf(run, now - (1 - run / count) * 14 * dayMs));
    await telemetry.write({ spans, logs: [] });
  }
}

export const longTraceId: string = 'f'.repeat(32);

/** Writes a trace of so many spans, each with ten children. */
export async function writeLongTrace(telemetry: TelemetryStore, count: number): Promise<void> {
  const startTime = Date.now() - dayMs;
  const idOf = (at: number): string => `f${at.toString(16).padStart(15, '0')}`;
  const spans = Array.from({ length: count }, (_, at): SpanRecord => ({
    traceId: longTraceId,
    spanId: idOf(at),
    parentSpanId: at === 0 ? null : idOf(Math.floor((at - 1) / 10)),
    isEntry: at === 0,
    name: `span ${at}`,
    kind: 0,
    startTime: startTime + at,
    endTime: startTime + at + 20,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': `[{"content":"${'word '.repeat(60)}"}]` },
    status: { code: 1 },
    events: [],
    links: [],
    resource: { 'service.name': 'bench' },
    instrumentationScope: { name: 'halyard' },
  }));
  for (let at = 0; at < count; at += 1_000) await telemetry.write({ spans: spans.slice(at, at + 1_000), logs: [] });
}

/**
 * A run of one of 10 agents, every fifth within one of 5 workflows, for one of 1 000 users: two
 * calls of one of 4 models, a tool, and reading the memory.
 */
function spansOf(run: number, startTime: number): readonly SpanRecord[] {
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
