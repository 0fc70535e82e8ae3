import '@xyflow/react/dist/style.css';
import { Link } from '@tanstack/react-router';
import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
} from '@xyflow/react';
import { type ReactNode, useMemo } from 'react';
import { classes } from '../../ui/classes.ts';
import type { AgentSummary } from './agents-query.ts';
import { box, type TeamMember, teamOf } from './team.ts';
import styles from './agent-graph.module.css';

export interface AgentGraphProps {
  readonly agentId: string;
  readonly agents: readonly AgentSummary[];
}

type MemberNode = Node<{ readonly member: TeamMember; readonly isOwn: boolean }, 'member'>;

const nodeTypes = { member: MemberBox };

/** Agents as boxes from left to right, with arrows to those that they delegate to. Use it by `AgentGraph`, which loads it. */
export function AgentGraphView({ agentId, agents }: AgentGraphProps): ReactNode {
  const { edges, nodes } = useMemo(() => toFlow(agentId, agents), [agentId, agents]);
  return (
    <div className={styles.graph} role="group" aria-label="Agents that delegate to each other">
      {edges.length === 0 && (
        <p className={styles.alone}>This agent delegates to no other, and none delegates to it.</p>
      )}
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        minZoom={0.2}
        maxZoom={1.5}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        preventScrolling={false}
        zoomOnScroll={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background gap={20} size={1} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function toFlow(agentId: string, agents: readonly AgentSummary[]): { nodes: MemberNode[]; edges: Edge[] } {
  const { lines, members } = teamOf(agentId, agents);
  const nodes = members.map(({ x, y, ...member }): MemberNode => ({
    id: member.id,
    type: 'member',
    position: { x, y },
    ...box,
    data: { member, isOwn: member.id === agentId },
  }));
  const edges = lines.map(({ from, to }): Edge => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: 'var(--line-strong)' },
  }));
  return { nodes, edges };
}

const shownTools = 3;

function MemberBox({ data: { isOwn, member } }: NodeProps<MemberNode>): ReactNode {
  const { id, model, name, tools } = member;
  const more = tools.length - shownTools;
  return (
    <div className={classes(styles.box, isOwn && styles.own)}>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Link to="/agents/$agentId" params={{ agentId: id }} search={{ tab: 'team' }} className="nodrag">
        {name}
      </Link>
      <code>{model}</code>
      <span>
        {tools.length === 0 ? 'no tools' : tools.slice(0, shownTools).join(', ')}
        {more > 0 && ` and ${more} more`}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}
