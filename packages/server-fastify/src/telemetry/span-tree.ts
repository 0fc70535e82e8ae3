import type { Span, SpanNode } from '../routes/observability/schemas.ts';

/**
 * Spans under those that caused them, in whatever order they come: siblings by their beginning. One whose parent is not among them (it runs elsewhere, or has
 * not come yet) stands at the top.
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

/** Whether a span is among its own ancestors, which only a broken recorder says: it would be in no tree. */
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
