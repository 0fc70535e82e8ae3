import { Type } from '@sinclair/typebox';
import { defineRoute } from '../define/define-route.ts';
import { AgentSummary } from '../schemas/agent-summary.ts';
import { IdParams } from '../schemas/id.ts';
import { summarizeAgent, summarizeAgents } from './summarize-agent.ts';

export const agentRoutes = [
  defineRoute({
    method: 'GET',
    url: '/agents',
    tier: 'console',
    operationId: 'listAgents',
    tag: 'Agents',
    summary: 'List agents',
    data: Type.Array(AgentSummary),
    handler: (_, services) => summarizeAgents(services),
  }),
  defineRoute({
    method: 'GET',
    url: '/agents/:id',
    tier: 'console',
    operationId: 'getAgent',
    tag: 'Agents',
    summary: 'Get an agent',
    params: IdParams,
    failures: [404],
    data: AgentSummary,
    handler: ({ params }, services) => summarizeAgent(services.registry.getAgent(params.id), services),
  }),
];
