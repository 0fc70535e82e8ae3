import { Link } from '@tanstack/react-router';
import { type Edge, Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { type ReactNode, useMemo } from 'react';
import { classes } from '../../ui/classes.ts';
import { arrow, FlowGraph } from '../../ui/graph/flow-graph.tsx';
import type { AgentSummary } from './agents-query.ts';
import { box, type TeamMember, buildTeam } from './team.ts';
import styles from './agent-graph.module.css';

export interface AgentGraphProps {
  readonly agentId: string;
  readonly agents: readonly AgentSummary[];
}

type MemberNode = Node<{ readonly member: TeamMember; readonly isOwn: boolean }, 'member'>;

const nodeTypes = { member: MemberBox };

/**
 * Agents as boxes from left to right, with arrows to those that they delegate to. Use it by
 * `AgentGraph`, which loads it.
 */
export function AgentGraphView({ agentId, agents }: AgentGraphProps): ReactNode {
  const { edges, nodes } = useMemo(() => toFlow(agentId, agents), [agentId, agents]);
  return (
    <FlowGraph
      label="Agents that delegate to each other"
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      minZoom={0.2}
      isFilled
      fitView
      fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
      above={edges.length === 0 && <p>This agent delegates to no other, and none delegates to it.</p>}
    />
  );
}

function toFlow(agentId: string, agents: readonly AgentSummary[]): { nodes: MemberNode[]; edges: Edge[] } {
  const { lines, members } = buildTeam(agentId, agents);
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
    markerEnd: arrow,
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
