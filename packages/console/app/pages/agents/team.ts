import type { AgentSummary } from './agents-query.ts';

export interface TeamMember {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly tools: readonly string[];
}

interface PlacedMember extends TeamMember {
  readonly x: number;
  readonly y: number;
}

export interface Team {
  readonly members: readonly PlacedMember[];
  readonly lines: readonly { readonly from: string; readonly to: string }[];
}

/** The size of a box. The styles use the same. */
export const box = { width: 224, height: 92 } as const;

/**
 * An agent with those that delegate to it, and those that it delegates to, also through others.
 * From left to right.
 */
export function buildTeam(agentId: string, agents: readonly AgentSummary[]): Team {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const members = new Map<string, TeamMember>();
  const lines: { from: string; to: string }[] = [];
  const visit = (agent: TeamMember): void => {
    if (members.has(agent.id)) return;
    members.set(agent.id, agent);
    for (const sub of byId.get(agent.id)?.subAgents ?? []) {
      lines.push({ from: agent.id, to: sub.id });
      visit(sub);
    }
  };
  const own = byId.get(agentId);
  if (own !== undefined) visit(own);
  for (const parent of agents) {
    if (!parent.subAgents.some(({ id }) => id === agentId) || members.has(parent.id)) continue;
    members.set(parent.id, parent);
    lines.push({ from: parent.id, to: agentId });
  }
  return { members: place([...members.values()], lines), lines };
}

const gap = { x: 88, y: 24 } as const;

/**
 * A column for each step of delegation, each centred. Teams are small: a column has no better order
 * than that of the code.
 */
function place(members: readonly TeamMember[], lines: Team['lines']): readonly PlacedMember[] {
  const depths = toDepths(members, lines);
  const columns = Map.groupBy(members, ({ id }) => depths.get(id) ?? 0);
  return [...columns].flatMap(([depth, column]) => {
    const height = column.length * (box.height + gap.y) - gap.y;
    return column.map((member, index) => ({
      ...member,
      x: depth * (box.width + gap.x),
      y: index * (box.height + gap.y) - height / 2,
    }));
  });
}

/** How many times a task was handed on at most before it reaches an agent. */
function toDepths(members: readonly TeamMember[], lines: Team['lines']): ReadonlyMap<string, number> {
  const depths = new Map(members.map(({ id }) => [id, 0]));
  // Each pass settles one column more. Agents that delegate in a circle end it too.
  for (const _ of members) {
    for (const { from, to } of lines) {
      const next = (depths.get(from) ?? 0) + 1;
      if (next > (depths.get(to) ?? 0) && next < members.length) depths.set(to, next);
    }
  }
  return depths;
}
