import type { Attributes, SpanRecord } from '@halyard/contracts';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { afterEach, expect, it } from 'vitest';
import { serve, type Served } from '../../../testing/serve.ts';
import type { Failures } from './failure-schemas.ts';
import { toReason } from './group-failures.ts';

const minute = 60_000;
const now = Math.floor(Date.now() / minute) * minute - minute;
let server: Served | undefined;
afterEach(() => server?.close());

async function read<Data>(path: string, spans: readonly SpanRecord[], userId?: string): Promise<Data> {
  await server?.close();
  const store = createInMemoryTelemetryStore();
  await store.write({ spans, logs: [] });
  server = await serve([], { telemetry: { store }, ...(userId !== undefined && { userOf: () => ({ id: userId }) }) });
  const response = await fetch(`${server.origin}${path}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly data: Data }).data;
}

/** A workflow `pay` whose step has failed, as one that started it sees it. */
function failedPayment(number: number, reason: string): readonly SpanRecord[] {
  const workflow = { 'entity.type': 'workflow', 'entity.id': 'pay', 'halyard.execution.id': `pay-${number}` };
  return [
    span(number, 'root', null, 'Step "pay" failed', { ...workflow, 'user.id': 'ada' }),
    span(number, 'step', 'root', reason, { 'halyard.step.id': 'pay' }),
  ];
}

it('groups failures by their reason, and counts each once', async () => {
  const failures = await read<Failures>('/observability/failures?range=1h', [
    ...failedPayment(1, 'The account 1217 is closed'),
    ...failedPayment(2, 'The account 12 is closed'),
    span(3, 'run', null, 'The model failed', { 'entity.type': 'agent', 'entity.id': 'writer' }),
    span(3, 'call', 'run', '529 Overloaded', { 'gen_ai.request.model': 'small', 'gen_ai.agent.id': 'writer' }),
    { ...span(4, 'fine', null, ''), status: { code: 0 } },
  ]);
  expect(failures).toMatchObject({ count: 3, isComplete: true, intervalMs: minute });
  expect(failures.groups).toMatchObject([
    {
      reason: 'The account … is closed',
      message: 'The account 12 is closed',
      count: 2,
      parts: [{ kind: 'workflow', id: 'pay', count: 2 }],
      executions: [
        { workflowId: 'pay', executionId: 'pay-2' },
        { workflowId: 'pay', executionId: 'pay-1' },
      ],
      latest: { traceId: traceId(2), spanId: '2-step' },
    },
    {
      reason: '… Overloaded',
      count: 1,
      parts: [
        { kind: 'model', id: 'small', count: 1 },
        { kind: 'agent', id: 'writer', count: 1 },
      ],
      executions: [],
    },
  ]);
  expect(failures.groups[0]?.countsOverTime.reduce((sum, count) => sum + count)).toBe(2);
});

it('shows a user no failure of others', async () => {
  const failed = failedPayment(1, 'The account is closed');
  expect((await read<Failures>('/observability/failures', failed, 'ada')).count).toBe(1);
  expect((await read<Failures>('/observability/failures', failed, 'ben')).count).toBe(0);
});

it('says in the list of traces why a trace failed', async () => {
  const { traces } = await read<{ readonly traces: readonly { readonly failure?: object }[] }>(
    '/observability/traces',
    [...failedPayment(1, 'The account is closed'), { ...span(2, 'fine', null, ''), status: { code: 0 } }],
  );
  expect(traces.map(({ failure }) => failure)).toEqual([
    undefined,
    { message: 'The account is closed', spanId: '1-step' },
  ]);
});

it('lists the spans that a metric counts, without their content', async () => {
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'small', 'gen_ai.input.messages': '[]' };
  const spans = [
    span(1, 'run', null, 'no', { 'entity.type': 'agent', 'entity.id': 'writer', 'user.id': 'ada' }),
    span(1, 'call', 'run', 'no', call),
    { ...span(1, 'again', 'run', '', call), status: { code: 0 as const } },
  ];
  interface Page {
    readonly total: number;
    readonly spans: readonly { readonly spanId: string; readonly attributes: Attributes }[];
  }
  const calls = await read<Page>('/observability/spans?model=small&status=ended', spans);
  expect([calls.total, calls.spans.map(({ spanId }) => spanId)]).toEqual([2, ['1-again', '1-call']]);
  expect(calls.spans[0]?.attributes).not.toHaveProperty('gen_ai.input.messages');
  expect((await read<Page>('/observability/spans?entry=true', spans)).spans).toMatchObject([{ spanId: '1-run' }]);
  expect((await read<Page>('/observability/spans', spans, 'ben')).total).toBe(0);
});

it.each([
  ['Order K-1234 is unknown', 'Order K-… is unknown'],
  ['after 30000 ms', 'after … ms'],
  ['execution 0af7651916cd43dd8448eb211c80319c is gone', 'execution … is gone'],
  ['no such user: 7f3e1c9a-1b2c-4d5e-8f90-0123456789ab', 'no such user: …'],
  ['Step "pay" failed', 'Step "pay" failed'],
  ['unreachable-destination', 'unreachable-destination'],
])('takes the reason of %j as %j', (message, reason) => {
  expect(toReason(message)).toBe(reason);
});

function traceId(number: number): string {
  return String(number).padStart(32, '0');
}

function span(
  number: number,
  name: string,
  parent: string | null,
  message: string,
  attributes: Attributes = {},
): SpanRecord {
  const order = { root: 0, run: 0, fine: 0, step: 1, call: 1, again: 2 }[name] ?? 0;
  return {
    traceId: traceId(number),
    spanId: `${number}-${name}`,
    parentSpanId: parent === null ? null : `${number}-${parent}`,
    isEntry: parent === null,
    name,
    kind: 0,
    startTime: now + number * 10 + order,
    endTime: now + number * 10 + 9,
    attributes,
    status: { code: 2, message },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'test' },
  };
}
