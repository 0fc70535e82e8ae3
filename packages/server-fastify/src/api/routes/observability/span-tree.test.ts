import { expect, it } from 'vitest';
import type { Span, SpanNode } from './schemas.ts';
import { spanTree } from './span-tree.ts';

const span = (spanId: string, parentSpanId: string | null, at: number): Span => ({
  traceId: 't',
  spanId,
  parentSpanId,
  name: spanId,
  kind: 0,
  startTime: new Date(at).toISOString(),
  endTime: null,
  durationMs: null,
  attributes: {},
  status: { code: 0 },
  events: [],
  links: [],
  resource: {},
  instrumentationScope: { name: 'test' },
});

const shape = (nodes: readonly SpanNode[]): string =>
  nodes.map(({ children, spanId }) => spanId + (children.length > 0 ? `(${shape(children)})` : '')).join(' ');

const spans = [
  span('run', null, 0),
  span('model', 'run', 1),
  span('tool', 'run', 2),
  span('inner', 'tool', 3),
  span('orphan', 'elsewhere', 4),
];

function orders<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

it('is the same tree for any order of the spans, with orphans as roots', () => {
  const shapes = new Set(orders(spans).map((order) => shape(spanTree(order))));
  expect([...shapes]).toEqual(['run(model tool(inner)) orphan']);
});

it('contains every span once, including spans that name each other as the parent', () => {
  const circle = [span('a', 'b', 0), span('b', 'a', 1), span('self', 'self', 2)];
  expect(shape(spanTree(circle))).toBe('a b self');
});
