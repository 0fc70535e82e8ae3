import type { Agent } from '@halyard/core';
import type { Site } from '../define/services.ts';
import type { AgentCard } from '../schemas/agent-card.ts';
import { version } from '../version.ts';

/** Names the extension of A2A in whose `params` a card says how its agent is asked here. */
const httpApiExtension = 'https://github.com/halyard-dev/halyard/a2a/http-api/v1';

/**
 * An agent as an A2A 1.0 card: what it is and what it can do.
 *
 * `supportedInterfaces` is empty, and not for want of a URL: an entry there promises A2A's own operations (SendMessage, GetTask and the
 * rest) in one of its bindings, or all of their meaning in a binding of one's own, and no route of ours does that. A2A clients can read the
 * card, list the agent and see that they cannot call it; who knows this API finds where the agent is in the extension.
 *
 * The tools are skills beside one that is the agent as a whole, since A2A wants skills to say what an agent is good for. Instructions are
 * not told, as in all that is told of agents.
 */
export function agentCard(agent: Agent, site: Pick<Site, 'origin' | 'prefix'>): AgentCard {
  const { description, id, name, subAgents, tools } = agent;
  const root = `${site.origin()}${site.prefix}`;
  const about = description === '' ? `The agent "${name}".` : description;
  return {
    name,
    description: about,
    supportedInterfaces: [],
    version,
    documentationUrl: `${root}/doc`,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [
        {
          uri: httpApiExtension,
          description: 'Asked over HTTP with JSON, and Server-Sent Events for streams, as the OpenAPI document says.',
          required: false,
          params: { url: `${root}/agents/${id}`, openApiUrl: `${root}/doc` },
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
