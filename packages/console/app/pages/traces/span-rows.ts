import type { components } from '../../api/schema.ts';

export type Span = components['schemas']['Span'];

/** A span at its place in the tree. */
export interface SpanRow {
  readonly span: Span;
  readonly depth: number;
  readonly childCount: number;
  /** Milliseconds since the epoch. */
  readonly start: number;
  /** While the span runs: now. */
  readonly end: number;
}

/** The view of a trace: its rows, top to bottom, and the time that they cover. */
export interface Waterfall {
  readonly rows: readonly SpanRow[];
  readonly start: number;
  readonly end: number;
}

/**
 * Parents before their children, siblings by start time. Children of collapsed spans are left out.
 * A span whose parent is missing is a root.
 */
export function toWaterfall(spans: readonly Span[], collapsed: ReadonlySet<string>, now: number): Waterfall {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const children = new Map<string, Span[]>();
  const roots: Span[] = [];
  for (const span of spans) {
    const { parentSpanId, spanId } = span;
    if (parentSpanId === null || parentSpanId === spanId || !known.has(parentSpanId)) roots.push(span);
    else toList(children, parentSpanId).push(span);
  }

  const rows: SpanRow[] = [];
  let start = Infinity;
  let end = -Infinity;
  const waiting = roots.toReversed().map((span) => ({ span, depth: 0 }));
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { depth, span } = next;
    if (seen.has(span.spanId)) continue;
    seen.add(span.spanId);
    const below = children.get(span.spanId) ?? [];
    const startsAt = Date.parse(span.startTime);
    const endsAt = span.durationMs === null ? Math.max(now, startsAt) : startsAt + span.durationMs;
    start = Math.min(start, startsAt);
    end = Math.max(end, endsAt);
    rows.push({ span, depth, childCount: below.length, start: startsAt, end: endsAt });
    if (!collapsed.has(span.spanId))
      waiting.push(...below.toReversed().map((child) => ({ span: child, depth: depth + 1 })));
  }
  return { rows, start, end: Math.max(end, start + 1) };
}

function toList(lists: Map<string, Span[]>, key: string): Span[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** The kind of a span, which decides the colour of its bar. */
export type SpanKind = 'agent' | 'model' | 'tool' | 'workflow' | 'memory' | 'other';

export function kindOf({ attributes }: Pick<Span, 'attributes'>): SpanKind {
  const operation = attributes['gen_ai.operation.name'];
  if (operation === 'invoke_agent') return 'agent';
  if (operation === 'chat' || operation === 'text_completion' || operation === 'embeddings') return 'model';
  if (operation === 'execute_tool') return 'tool';
  if (attributes['halyard.memory.operation'] !== undefined) return 'memory';
  const type = attributes['entity.type'];
  if (type === 'workflow' || attributes['halyard.step.id'] !== undefined) return 'workflow';
  return 'other';
}

const wireNames = /^(?:invoke_agent|execute_tool|chat|text_completion|generate_content|embeddings|workflow) (?=\S)/;

/**
 * The name that people gave to what the span records, else its own without the word of the
 * convention before it: `Front desk`, `Refund`, `trackParcel`.
 */
export function nameOf({ attributes, name }: Pick<Span, 'attributes' | 'name'>): string {
  const workflow = attributes['halyard.step.id'] === undefined ? attributes['halyard.workflow.name'] : undefined;
  return typeof workflow === 'string' ? workflow : name.replace(wireNames, '');
}

/**
 * The failed spans that no failed span below them explains, the earliest first: where to look for
 * the reason.
 */
export function findOrigins(spans: readonly Span[]): readonly Span[] {
  const failed = spans.filter(({ status }) => status.code === 2);
  const explained = new Set(failed.map(({ parentSpanId }) => parentSpanId));
  return failed
    .filter(({ spanId }) => !explained.has(spanId))
    .toSorted((one, other) => Date.parse(one.startTime) - Date.parse(other.startTime));
}

/** `running`, `ok`, `error`, `aborted` or `refused`. */
export function stateOf({ attributes, endTime, status }: Pick<Span, 'attributes' | 'endTime' | 'status'>): string {
  if (status.code === 2) return 'error';
  if (endTime === null) return 'running';
  const outcome = attributes['halyard.outcome'];
  return typeof outcome === 'string' ? outcome : 'ok';
}

/** The word for a state: people stop a reply, and what they left is aborted. */
export function wordFor(state: string, errorType: unknown): string {
  return state === 'aborted' && errorType === 'REPLY_STOPPED' ? 'stopped' : state;
}

/** Moments of the time axis: round distances, five or so. */
export function chooseTicks(durationMs: number, count = 5): readonly number[] {
  if (durationMs <= 0) return [0];
  const rough = durationMs / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough;
  const ticks: number[] = [];
  for (let at = 0; at <= durationMs; at += step) ticks.push(at);
  return ticks;
}

/**
 * The cost of the model calls among these spans, in US dollars, and how many have none though they
 * used tokens. Undefined without model calls that used tokens.
 */
export function totalCosts(
  spans: readonly Span[],
): { readonly cost: number | null; readonly unpricedCalls: number } | undefined {
  let cost: number | null = null;
  let unpricedCalls = 0;
  for (const { attributes } of spans) {
    const known = attributes['gen_ai.usage.cost'];
    if (typeof known === 'number') cost = (cost ?? 0) + known;
    else if (attributes['gen_ai.operation.name'] === 'chat' && usedTokens(attributes)) unpricedCalls += 1;
  }
  return cost === null && unpricedCalls === 0 ? undefined : { cost, unpricedCalls };
}

function usedTokens(attributes: Span['attributes']): boolean {
  return ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'].some((name) => Number(attributes[name] ?? 0) > 0);
}
