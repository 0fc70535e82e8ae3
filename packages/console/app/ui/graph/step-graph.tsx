import { type Edge, Handle, type Node, type NodeProps, Position, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { classes } from '../classes.ts';
import { Icon } from '../icons.tsx';
import { StateMark } from '../state-mark.tsx';
import { arrow, FlowGraph } from './flow-graph.tsx';
import { type GraphNode, layoutSteps } from './layout.ts';
import styles from './step-graph.module.css';

export interface StepGraphProps {
  readonly label: string;
  /** In the upper left corner, above the graph. */
  readonly above?: ReactNode;
  readonly nodes: readonly GraphNode[];
  readonly selectedId: string | undefined;
  readonly onSelect: (id: string) => void;
  /** Opens or folds the steps inside one. */
  readonly onToggle: (id: string) => void;
}

type StepNode = Node<{ readonly step: GraphNode }, 'step'>;

const Actions = createContext<Pick<StepGraphProps, 'selectedId' | 'onSelect' | 'onToggle'>>({
  selectedId: undefined,
  onSelect: () => {},
  onToggle: () => {},
});

const nodeTypes = { step: StepBox };

/**
 * Steps from top to bottom; drag to move, wheel or buttons to zoom. Use it by `StepGraph`, which
 * loads it when it is needed.
 */
export function StepGraphView(props: StepGraphProps): ReactNode {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({ above, label, nodes, onSelect, onToggle, selectedId }: StepGraphProps): ReactNode {
  const { setViewport } = useReactFlow();
  const { edges, height, items, width } = useMemo(() => toFlow(nodes), [nodes]);
  const container = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  // As wide as there is room, from the top: the page scrolls, so that texts stay readable however
  // many steps there are.
  useEffect(() => {
    const fit = (): void => {
      const room = container.current?.clientWidth ?? width;
      const next = Math.min(1, Math.max(smallestZoom, (room - 2 * margin) / width));
      setZoom(next);
      void setViewport({ x: Math.max(margin, (room - width * next) / 2), y: margin, zoom: next });
    };
    fit();
    const observer = new ResizeObserver(fit);
    if (container.current !== null) observer.observe(container.current);
    return () => observer.disconnect();
  }, [width, height, setViewport]);
  const actions = useMemo(() => ({ selectedId, onSelect, onToggle }), [selectedId, onSelect, onToggle]);
  return (
    <Actions value={actions}>
      <FlowGraph
        label={label}
        above={above}
        nodes={items}
        edges={edges}
        nodeTypes={nodeTypes}
        minZoom={0.15}
        ref={container}
        style={{ height: Math.min(tallest, height * zoom + 2 * margin) }}
      />
    </Actions>
  );
}

const margin = 24;
const smallestZoom = 0.5;
/** A longer graph is moved inside its frame. */
const tallest = 2_400;

function toFlow(steps: readonly GraphNode[]): { items: StepNode[]; edges: Edge[]; width: number; height: number } {
  const layout = layoutSteps(steps);
  const items = layout.nodes.map(({ height, node, parentId, width, x, y }): StepNode => ({
    id: node.id,
    type: 'step',
    position: { x, y },
    width,
    height,
    data: { step: node },
    ...(parentId !== undefined && { parentId }),
  }));
  const edges = layout.lines.map(({ from, to }): Edge => ({
    id: `${from}→${to}`,
    source: from,
    target: to,
    type: 'smoothstep',
    zIndex: 1,
    markerEnd: arrow,
  }));
  return { items, edges, width: layout.width, height: layout.height };
}

function StepBox({ data: { step } }: NodeProps<StepNode>): ReactNode {
  const { onSelect, onToggle, selectedId } = use(Actions);
  const { id, inner, kind, note, state, title } = step;
  const isOpen = inner?.isOpen === true;
  return (
    <div
      className={classes(styles.box, isOpen && styles.open, id === selectedId && styles.selected)}
      data-state={state}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div className={styles.head}>
        <button
          type="button"
          className={classes(styles.step, 'nodrag')}
          aria-pressed={id === selectedId}
          onClick={() => onSelect(id)}
        >
          <span className={styles.title}>
            {state !== undefined && <StateMark state={state} isShort />}
            <span>{title}</span>
          </span>
          <span className={styles.kind}>
            {kind}
            {note !== undefined && <b>{note}</b>}
          </span>
        </button>
        {inner !== undefined && inner.nodes.length > 0 && (
          <button
            type="button"
            className={classes(styles.fold, 'nodrag', isOpen && styles.unfolded)}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Fold' : 'Open'} ${title}: ${inner.nodes.length} steps`}
            onClick={() => onToggle(id)}
          >
            {!isOpen && inner.nodes.length}
            <Icon name="chevron" size={12} />
          </button>
        )}
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}
