/** A step, or a part that contains steps. */
export interface GraphNode {
  readonly id: string;
  readonly title: string;
  /** The kind of step, in a word or two: `agent`, `each item`. */
  readonly kind: string;
  /** The state as `StateMark` names it. */
  readonly state?: string | undefined;
  /** Beside the state: `3 of 5`, `2 attempts`. */
  readonly note?: string | undefined;
  readonly inner?: GraphInner | undefined;
}

export interface GraphInner {
  /** `row`: side by side, as alternatives or in parallel. `column`: one after the other. */
  readonly direction: 'row' | 'column';
  readonly nodes: readonly GraphNode[];
  /** Whether the inner steps are in view. */
  readonly isOpen: boolean;
}

export interface PlacedNode {
  readonly node: GraphNode;
  readonly parentId: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly from: string;
  readonly to: string;
}

interface Layout {
  readonly nodes: readonly PlacedNode[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

const size = { width: 208, height: 52, gap: 20, arrow: 32, padding: 14, head: 38 } as const;

/**
 * Places the steps of a tree from top to bottom. A workflow is a sequence of steps that contain
 * others, so that boxes in boxes show it exactly, with lines only from each step to the next.
 */
export function layoutSteps(nodes: readonly GraphNode[]): Layout {
  const placed: PlacedNode[] = [];
  const lines: Line[] = [];
  const { height, width } = place(nodes, 'column', { x: 0, y: 0, parentId: undefined }, placed, lines);
  return { nodes: placed, lines, width, height };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function measure({ inner }: GraphNode): Size {
  if (inner === undefined || !inner.isOpen || inner.nodes.length === 0) return size;
  const content = measureAll(inner.nodes, inner.direction);
  return {
    width: Math.max(size.width, content.width + 2 * size.padding),
    height: content.height + size.head + size.padding,
  };
}

function measureAll(nodes: readonly GraphNode[], direction: 'row' | 'column'): Size {
  const sizes = nodes.map(measure);
  const widths = sizes.map(({ width }) => width);
  const heights = sizes.map(({ height }) => height);
  const gaps = Math.max(0, nodes.length - 1);
  return direction === 'row'
    ? { width: sum(widths) + gaps * size.gap, height: Math.max(0, ...heights) }
    : { width: Math.max(0, ...widths), height: sum(heights) + gaps * size.arrow };
}

function place(
  nodes: readonly GraphNode[],
  direction: 'row' | 'column',
  { parentId, x, y }: { readonly x: number; readonly y: number; readonly parentId: string | undefined },
  placed: PlacedNode[],
  lines: Line[],
): Size {
  const whole = measureAll(nodes, direction);
  let offset = 0;
  let previous: string | undefined;
  for (const node of nodes) {
    const own = measure(node);
    const at = direction === 'row' ? { x: x + offset, y } : { x: x + (whole.width - own.width) / 2, y: y + offset };
    placed.push({ node, parentId, ...at, width: own.width, height: own.height });
    if (node.inner?.isOpen === true) {
      const content = measureAll(node.inner.nodes, node.inner.direction);
      const origin = { x: (own.width - content.width) / 2, y: size.head, parentId: node.id };
      place(node.inner.nodes, node.inner.direction, origin, placed, lines);
    }
    if (direction === 'column' && previous !== undefined) lines.push({ from: previous, to: node.id });
    previous = node.id;
    offset += direction === 'row' ? own.width + size.gap : own.height + size.arrow;
  }
  return whole;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
