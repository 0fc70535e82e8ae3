import type { Agent } from '@halyard/core';
import type { Caller } from '../../../access/identity.ts';
import { isReachable } from '../../../access/targets.ts';
import type { PublicAddress } from '../../../runtime/services/public-address.ts';
import { version } from '../../../version.ts';
import type { AgentCard } from './schemas.ts';

/** The URI of the A2A extension whose `params` contain the address of the agent in this API. */
const httpApiExtension = 'https://github.com/halyard-dev/halyard/a2a/http-api/v1';

/**
 * Describes an agent as an A2A 1.0 card.
 *
 * `supportedInterfaces` is empty, because an entry promises A2A's own operations (SendMessage,
 * GetTask and others), which this API does not have. A2A clients can read the card and see that
 * they cannot call the agent. Clients of this API find its address in the extension.
 *
 * The skills are the agent itself, and its tools and sub-agents that the caller may call directly.
 * Instructions are never exposed.
 */
export function agentCard(agent: Agent, caller: Caller, { url }: Pick<PublicAddress, 'url'>): AgentCard {
  const { description, id, name } = agent;
  const tools = agent.tools.filter((tool) => isReachable(tool, caller));
  const subAgents = agent.subAgents.filter((subAgent) => isReachable(subAgent, caller));
  const about = description === '' ? `The agent "${name}".` : description;
  return {
    name,
    description: about,
    supportedInterfaces: [],
    version,
    documentationUrl: `${url}/doc`,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        {
          uri: httpApiExtension,
          description:
            'Called over HTTP with JSON, and Server-Sent Events for streams, as the OpenAPI document describes.',
          required: false,
          params: { url: `${url}/agents/${id}`, openApiUrl: `${url}/doc` },
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      { id, name, description: about, tags: ['agent'] },
      ...tools.map((tool) => ({
        id: `tool:${tool.name}`,
        name: tool.name,
        description: tool.description,
        tags: ['tool', ...tool.tags],
      })),
      ...subAgents.map((subAgent) => ({
        id: `agent:${subAgent.id}`,
        name: subAgent.name,
        description: subAgent.description === '' ? `The agent "${subAgent.name}".` : subAgent.description,
        tags: ['agent'],
      })),
    ],
  };
}
