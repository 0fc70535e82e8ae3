import '@xyflow/react/dist/style.css';
import {
  Background,
  Controls,
  type EdgeMarker,
  MarkerType,
  type Node,
  ReactFlow,
  type ReactFlowProps,
} from '@xyflow/react';
import type { CSSProperties, ReactNode, Ref } from 'react';
import { classes } from '../classes.ts';
import styles from './flow-graph.module.css';

interface FlowGraphProps<Box extends Node> extends Pick<
  ReactFlowProps<Box>,
  'nodes' | 'edges' | 'nodeTypes' | 'minZoom' | 'fitView' | 'fitViewOptions'
> {
  /** The contents of the graph, for screen readers. */
  readonly label: string;
  /** In the upper left corner, above the graph. */
  readonly above?: ReactNode;
  /** Takes all the room that the page has, without a frame. */
  readonly isFilled?: boolean;
  readonly ref?: Ref<HTMLDivElement>;
  readonly style?: CSSProperties;
}

/** The head of a line that has a direction. */
export const arrow: EdgeMarker = {
  type: MarkerType.ArrowClosed,
  width: 14,
  height: 14,
  color: 'var(--xy-edge-stroke)',
};

/**
 * Boxes and lines between them that nobody can edit: drag to move, buttons to zoom. The wheel
 * scrolls the page.
 */
export function FlowGraph<Box extends Node>({
  above,
  isFilled = false,
  label,
  ref,
  style,
  ...graph
}: FlowGraphProps<Box>): ReactNode {
  return (
    <div
      className={classes(styles.graph, !isFilled && styles.framed)}
      role="group"
      aria-label={label}
      ref={ref}
      style={style}
    >
      {above && <div className={styles.above}>{above}</div>}
      <ReactFlow
        {...graph}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        maxZoom={1.5}
        preventScrolling={false}
        zoomOnScroll={false}
        panOnScroll={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} size={1} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}
