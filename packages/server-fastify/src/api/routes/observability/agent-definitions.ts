import type { Agent, GenerationSettings } from '@halyard/core';
import { defineRoute } from '../../define/define-route.ts';
import { IdParams } from '../common-schemas.ts';
import { AgentDefinition } from './agent-definition-schemas.ts';

/** How an agent is defined. */
export const agentDefinitionRoutes = [
  defineRoute({
    method: 'GET',
    tier: 'console',
    tag: 'Observability',
    url: '/observability/agents/:id',
    operationId: 'getAgentDefinition',
    summary: 'Read the instructions and model settings of an agent',
    description: 'Instructions can contain secrets: only operators read them, and `GET /agents/{id}` has none.',
    params: IdParams,
    failures: [404],
    data: AgentDefinition,
    handler: ({ caller, params }, { generationDefaults, registry }) => {
      const agent = registry.getAgent(params.id);
      // In legacy mode, users read what is under /observability with their token.
      const instructions = caller.isOperator === true ? readText(agent.instructions) : null;
      return { id: agent.id, instructions, settings: readSettings(agent, generationDefaults) };
    },
  }),
];

function readText(instructions: Agent['instructions']): string | null {
  if (typeof instructions === 'function') return null;
  if (typeof instructions === 'string') return instructions;
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join('\n\n');
}

/** The settings of the agent, then the defaults that it does not set. */
function readSettings(agent: Agent, defaults: GenerationSettings): AgentDefinition['settings'] {
  // Headers and options of a provider can contain secrets.
  const { headers: _, providerOptions: __, ...own } = agent.settings;
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  const inForce = { ...(agent.takesDefaults() && defaults) };
  const others = Object.entries(inForce).filter(([name]) => !(name in own));
  return [
    ...set.map(([name, value]) => ({ name, value, origin: 'agent' as const })),
    ...others.map(([name, value]) => ({ name, value, origin: 'default' as const })),
  ];
}
