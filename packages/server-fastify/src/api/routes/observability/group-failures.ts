import type { Attributes, SpanRecord } from '@halyard/contracts';

/** A span that failed by itself, with the failed spans around it, from the inside out. */
export interface Failure {
  readonly origin: SpanRecord;
  readonly around: readonly SpanRecord[];
}

/** What failed: an agent, a model, a tool or a workflow. */
export interface FailedPart {
  readonly kind: 'agent' | 'model' | 'tool' | 'workflow';
  readonly id: string;
}

export interface FailureGroup {
  readonly reason: string;
  /** Latest first. */
  readonly failures: readonly Failure[];
}

/**
 * Of failed spans, those that no failed span below them explains. A span that stopped for the user,
 * or that a guardrail refused, has not failed.
 */
export function findFailures(failed: readonly SpanRecord[]): readonly Failure[] {
  const byId = new Map(failed.map((span) => [toKey(span.traceId, span.spanId), span]));
  const explained = new Set(failed.map(({ parentSpanId, traceId }) => toKey(traceId, parentSpanId)));
  return failed
    .filter(({ spanId, traceId }) => !explained.has(toKey(traceId, spanId)))
    .map((origin) => ({ origin, around: spansAround(origin, byId) }));
}

function spansAround(origin: SpanRecord, byId: ReadonlyMap<string, SpanRecord>): readonly SpanRecord[] {
  const around = new Set<SpanRecord>();
  let span = byId.get(toKey(origin.traceId, origin.parentSpanId));
  // Spans of callers may form a circle.
  while (span !== undefined && span !== origin && !around.has(span)) {
    around.add(span);
    span = byId.get(toKey(span.traceId, span.parentSpanId));
  }
  return [...around];
}

function toKey(traceId: string, spanId: string | null): string {
  return `${traceId} ${spanId ?? ''}`;
}

/** The groups with the most failures first. */
export function groupFailures(failures: readonly Failure[]): readonly FailureGroup[] {
  const groups = Map.groupBy(failures, ({ origin }) => toReason(readMessage(origin)));
  return Array.from(groups, ([reason, own]) => ({
    reason,
    failures: own.toSorted((one, other) => other.origin.startTime - one.origin.startTime),
  })).toSorted((one, other) => other.failures.length - one.failures.length);
}

/** Why the span failed, in the words of the error; its type where messages are not recorded. */
export function readMessage({ attributes, status }: Pick<SpanRecord, 'attributes' | 'status'>): string {
  return status.message ?? readText(attributes, 'error.type') ?? 'No reason was recorded';
}

/** The same for messages that differ only in numbers and generated ids. */
export function toReason(message: string): string {
  return message
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '…')
    .replaceAll(/\b(?=[a-z]*\d)[\w-]{12,}\b/gi, '…')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '…')
    .slice(0, 300);
}

/** The parts that failed with it: each once. */
export function listParts({ around, origin }: Failure): readonly FailedPart[] {
  const parts = [origin, ...around].flatMap(({ attributes }) => partsOf(attributes));
  return [...new Map(parts.map((part) => [`${part.kind} ${part.id}`, part])).values()];
}

function partsOf(attributes: Attributes): readonly FailedPart[] {
  const entityType = attributes['entity.type'];
  const named: readonly (readonly [FailedPart['kind'], string | undefined])[] = [
    ['model', readText(attributes, 'gen_ai.request.model')],
    ['tool', readText(attributes, 'gen_ai.tool.name')],
    ['agent', entityType === 'agent' ? readText(attributes, 'entity.id') : readText(attributes, 'gen_ai.agent.id')],
    ['workflow', entityType === 'workflow' ? readText(attributes, 'entity.id') : undefined],
  ];
  return named.flatMap(([kind, id]) => (id === undefined ? [] : [{ kind, id }]));
}

/** The workflow executions that failed with it: the innermost first. */
export function listExecutions({
  around,
  origin,
}: Failure): readonly { readonly workflowId: string; readonly executionId: string }[] {
  return [origin, ...around].flatMap(({ attributes }) => {
    const [workflowId, executionId] = [readText(attributes, 'entity.id'), readText(attributes, 'halyard.execution.id')];
    if (attributes['entity.type'] !== 'workflow' || workflowId === undefined || executionId === undefined) return [];
    return [{ workflowId, executionId }];
  });
}

function readText(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' ? value : undefined;
}
