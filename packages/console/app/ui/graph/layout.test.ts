import { expect, it } from 'vitest';
import { type GraphInner, type GraphNode, layoutSteps, type PlacedNode } from './layout.ts';

const node = (id: string, inner?: GraphInner): GraphNode => ({ id, title: id, kind: 'step', inner });
const inner = (direction: 'row' | 'column', nodes: readonly GraphNode[], isOpen = true): GraphInner => ({
  direction,
  nodes,
  isOpen,
});
const places = (nodes: readonly PlacedNode[]): unknown =>
  nodes.map(({ height, node: { id }, parentId, width, x, y }) => [parentId, id, x, y, width, height]);

it('needs no room for no steps', () => {
  expect(layoutSteps([])).toEqual({ nodes: [], lines: [], width: 0, height: 0 });
});

it('places steps below each other, with a line from each to the next', () => {
  const { height, lines, nodes, width } = layoutSteps([node('a'), node('b'), node('c')]);
  expect(places(nodes)).toEqual([
    [undefined, 'a', 0, 0, 208, 52],
    [undefined, 'b', 0, 84, 208, 52],
    [undefined, 'c', 0, 168, 208, 52],
  ]);
  expect(lines).toEqual([
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ]);
  expect([width, height]).toEqual([208, 220]);
});

it('places parallel branches beside each other, without lines, in a box around them', () => {
  const { height, lines, nodes, width } = layoutSteps([node('all', inner('row', [node('a'), node('b')])), node('end')]);
  expect(places(nodes)).toEqual([
    [undefined, 'all', 0, 0, 464, 104],
    // Relative to the box.
    ['all', 'a', 14, 38, 208, 52],
    ['all', 'b', 242, 38, 208, 52],
    // Centred below the box.
    [undefined, 'end', 128, 136, 208, 52],
  ]);
  expect(lines).toEqual([{ from: 'all', to: 'end' }]);
  expect([width, height]).toEqual([464, 188]);
});

it('makes a box as high as its highest branch', () => {
  const loop = node('loop', inner('column', [node('x'), node('y')]));
  const { lines, nodes } = layoutSteps([node('all', inner('row', [node('a'), loop]))]);
  const boxes = Object.fromEntries(nodes.map(({ node: { id }, ...place }) => [id, place]));
  expect(boxes['loop']).toMatchObject({ parentId: 'all', x: 242, y: 38, width: 236, height: 188 });
  expect(boxes['all']).toMatchObject({ width: 492, height: 240 });
  expect(lines).toEqual([{ from: 'x', to: 'y' }]);
});

it('shows a folded box, and one without steps, as a step', () => {
  for (const folded of [inner('row', [node('a'), node('b')], false), inner('column', [])])
    expect(places(layoutSteps([node('box', folded)]).nodes)).toEqual([[undefined, 'box', 0, 0, 208, 52]]);
});

it('places steps at any depth inside of the boxes around them', () => {
  let deep = node('0');
  for (let level = 1; level <= 50; level += 1)
    deep = node(String(level), inner(level % 2 === 0 ? 'row' : 'column', [deep]));
  const { nodes, width } = layoutSteps([deep]);
  expect(nodes).toHaveLength(51);
  expect(width).toBe(208 + 50 * 28);
  const sizes = new Map(nodes.map((placed) => [placed.node.id, placed]));
  for (const { height, parentId, width: own, x, y } of nodes.slice(1)) {
    const box = sizes.get(parentId ?? '');
    expect([x, y]).toEqual([14, 38]);
    expect([own, height]).toEqual([(box?.width ?? 0) - 28, (box?.height ?? 0) - 52]);
  }
});
