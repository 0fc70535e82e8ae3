import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { chooseModel } from '@halyard/example-demo-model';
import { openTelemetry } from '@halyard/telemetry';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Api } from './api.ts';
import { Approver } from './approver.ts';
import { Customer } from './customer.ts';
import { createOrderApproval } from './server.ts';

/** The fields of a span that all three sources contain. Times are in milliseconds. */
interface SpanFields {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly status: number;
}

/** A span in the server's JSON. */
interface ServerSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly status: { readonly code: number };
}

/** A log line in the server's JSON. */
interface ServerLog {
  readonly body: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly severityNumber: number;
}

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface OtlpBody {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
  readonly resourceLogs?: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly OtlpLog[] }[] }[];
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
}

interface OtlpLog {
  readonly body: { readonly stringValue: string };
  readonly traceId: string;
  readonly spanId: string;
  readonly severityNumber: number;
}

it('shows the same spans in the routes, the live channel and the OpenTelemetry collector', async () => {
  const collector = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { model } = await chooseModel({});
  const server = await createOrderApproval(model, {
    port: 0,
    signals: false,
    logger: { level: 'info', stream: { write: () => {} } },
    // On a busy machine, sending the last logs can take longer than the default.
    telemetry: { recorder: openTelemetry({ closeTimeoutMs: 600_000 }) },
  });
  onTestFinished(() => server.close());
  const url = await server.listen();
  const api = new Api(url);
  const channel = await connectChannel(`${url}/ws/observability`);

  const customer = new Customer(api, () => {});
  const waiting = await customer.order({ customer: 'Clara', city: 'Leipzig', lines: [{ sku: 'piano', quantity: 1 }] });
  expect(waiting.status).toBe('suspended');
  const approver = new Approver(api, 'Grace');
  for (const order of await approver.listWaiting()) await approver.approve(order);
  expect(await customer.reconnect(waiting)).toMatchObject({ status: 'completed', receipt: { status: 'shipped' } });

  const execution = await api.get<{ metadata: { traceId: string; spanId: string } }>(
    `/workflows/order/executions/${waiting.executionId}`,
  );
  const { spanId, traceId } = execution.metadata;
  // The stream of an execution may end before its last span has ended.
  await channel.waitFor((seen) => seen.filter(({ name }) => name === 'workflow order').length === 2);
  const { spans } = await api.get<{ spans: readonly ServerSpan[] }>(`/observability/traces/${traceId}`);
  const byRoute = sortById(spans.map(fromServer));
  const { logs } = await api.get<{ logs: readonly ServerLog[] }>(`/observability/traces/${traceId}/logs`);
  const byChannel = sortById(await channel.waitFor((seen) => seen.length >= byRoute.length));
  await server.close();
  const byCollector = sortById(collector.spans.map(fromOtlp));

  const names = new Set(byRoute.map(({ name }) => name));
  expect(names).toEqual(names.union(new Set(['workflow order', 'workflow shipping', 'step approve', 'step receipt'])));
  expect(byRoute.filter(({ name }) => name === 'workflow order')).toHaveLength(2);
  expect(byRoute.find((span) => span.spanId === spanId)).toMatchObject({ name: 'workflow order', parentSpanId: null });
  expect(byChannel).toEqual(byRoute);
  expect(byCollector).toEqual(byRoute);

  const decided = logs.filter(({ body }) => body.startsWith('a person approved'));
  expect(decided).toHaveLength(1);
  expect(byRoute.find((span) => span.spanId === decided[0]?.spanId)).toMatchObject({ name: 'step approve' });
  const exported = collector.logs.map(({ body, ...log }) => ({ ...log, body: body.stringValue }));
  for (const { body, severityNumber, spanId: within } of logs)
    expect(exported).toContainEqual(expect.objectContaining({ body, severityNumber, traceId, spanId: within }));
});

/** Starts a collector for OTLP/HTTP with JSON. */
async function startCollector() {
  const spans: OtlpSpan[] = [];
  const logs: OtlpLog[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceLogs = [], resourceSpans = [] } = body as OtlpBody;
      for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      for (const { scopeLogs } of resourceLogs) logs.push(...scopeLogs.flatMap((scope) => scope.logRecords));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { logs, spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Connects to the live channel and collects the spans that end. */
async function connectChannel(url: string) {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const ended: SpanFields[] = [];
  const messages = new EventTarget();
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    const { data: event } = JSON.parse(String(data)) as {
      readonly data?: { readonly type?: string; readonly span: ServerSpan };
    };
    if (event?.type === 'span:end') ended.push(fromServer(event.span));
    messages.dispatchEvent(new Event('received'));
  });
  await once(messages, 'received');
  return {
    /** Resolves with the ended spans when `isEnough` holds. */
    waitFor: async (isEnough: (spans: readonly SpanFields[]) => boolean) => {
      while (!isEnough(ended)) await once(messages, 'received');
      return ended;
    },
  };
}

function fromServer({ endTime, name, parentSpanId, spanId, startTime, status, traceId }: ServerSpan): SpanFields {
  const times = { startTime: Date.parse(startTime), endTime: Date.parse(endTime) };
  return { traceId, spanId, parentSpanId, name, ...times, status: status.code };
}

function fromOtlp({
  endTimeUnixNano,
  name,
  parentSpanId,
  spanId,
  startTimeUnixNano,
  status,
  traceId,
}: OtlpSpan): SpanFields {
  const times = { startTime: milliseconds(startTimeUnixNano), endTime: milliseconds(endTimeUnixNano) };
  return { traceId, spanId, parentSpanId: parentSpanId ?? null, name, ...times, status: status.code };
}

function milliseconds(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000_000n);
}

function sortById(spans: readonly SpanFields[]): readonly SpanFields[] {
  return spans.toSorted((a, b) => a.spanId.localeCompare(b.spanId));
}
