import type { Span, SpanNode } from './schemas.ts';

/**
 * The spans as trees, siblings by start time, whatever the order of `spans`. A span whose parent is
 * missing, because it is in another process or has not arrived yet, is a root.
 */
export function spanTree(spans: readonly Span[]): SpanNode[] {
  const nodes = new Map(spans.map((span) => [span.spanId, { ...span, children: [] as SpanNode[] }]));
  const byBeginning = [...nodes.values()].toSorted((a, b) => Date.parse(a.startTime) - Date.parse(b.startTime));
  const tree: SpanNode[] = [];
  for (const node of byBeginning) {
    const parent = node.parentSpanId === null ? undefined : nodes.get(node.parentSpanId);
    if (parent === undefined || isAbove(node, parent, nodes)) tree.push(node);
    else parent.children.push(node);
  }
  return tree;
}

/**
 * Whether a span is among its own ancestors, which only a faulty recorder reports. It would be in
 * no tree.
 */
function isAbove(node: SpanNode, parent: SpanNode, nodes: ReadonlyMap<string, SpanNode>): boolean {
  const seen = new Set<SpanNode>();
  let at: SpanNode | undefined = parent;
  while (at !== undefined && !seen.has(at)) {
    if (at === node) return true;
    seen.add(at);
    at = at.parentSpanId === null ? undefined : nodes.get(at.parentSpanId);
  }
  return false;
}
