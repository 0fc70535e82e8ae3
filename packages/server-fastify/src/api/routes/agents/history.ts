import type { Attributes, SpanRecord } from '@halyard/contracts';
import { toTraceStatus } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import { identify, ownerForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { IdParams } from '../common-schemas.ts';
import { readTelemetry } from '../observability/observability.ts';
import { AgentHistory, type AgentHistoryEntry, AgentHistoryQuery } from './schemas.ts';

export const agentHistoryRoutes = [
  defineRoute({
    method: 'GET',
    url: '/agents/:id/history',
    tier: 'console',
    operationId: 'getAgentHistory',
    readsList: true,
    tag: 'Agents',
    summary: 'List the recorded runs of an agent, newest first',
    description:
      'Includes runs that another agent or a workflow started. The last entries of a page are missing if they do not fit into its limit of bytes: `isComplete` is false then, and a smaller `limit` returns them.',
    params: IdParams,
    query: AgentHistoryQuery,
    failures: [404],
    data: AgentHistory,
    handler: async ({ caller, params: { id }, query: { limit, page, userId: named } }, services) => {
      services.registry.getAgent(id);
      const { userId } = identify(caller, { userId: named });
      const maxBytes = services.limits.pageBytes;
      const filter = { entityType: 'agent', entityId: id, userId, limit, maxBytes, offset: page * limit };
      const store = await readTelemetry(services);
      const { spans: runs, total } = (await store?.listSpans(ownerForCaller(caller), filter)) ?? {
        spans: [],
        total: 0,
      };
      const isComplete = runs.length >= Math.min(limit, total - filter.offset);
      return { entries: runs.map((run) => describeRun(id, run)), total, page, limit, isComplete };
    },
  }),
];

function describeRun(agentId: string, span: SpanRecord): AgentHistoryEntry {
  const { attributes, endTime } = span;
  const { message } = span.status;
  const errorType = textIn(attributes, 'error.type');
  const status = toTraceStatus(span);
  return {
    id: textIn(attributes, 'halyard.run.id') ?? span.spanId,
    agentId,
    operation: textIn(attributes, 'halyard.operation') ?? 'text',
    status: status === 'ok' ? 'completed' : status,
    input: jsonIn(attributes, 'gen_ai.input.messages'),
    output: jsonIn(attributes, 'gen_ai.output.messages'),
    usage: usageIn(attributes),
    startedAt: isoTime(span.startTime),
    endedAt: endTime === null ? null : isoTime(endTime),
    userId: textIn(attributes, 'user.id') ?? null,
    conversationId: textIn(attributes, 'gen_ai.conversation.id') ?? null,
    traceId: span.traceId,
    ...(message !== undefined && { error: message }),
    ...(errorType !== undefined && { errorType }),
  };
}

function usageIn(attributes: Attributes): AgentHistoryEntry['usage'] {
  const promptTokens = numberIn(attributes, 'gen_ai.usage.input_tokens');
  const completionTokens = numberIn(attributes, 'gen_ai.usage.output_tokens');
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    cachedInputTokens: numberIn(attributes, 'gen_ai.usage.cache_read.input_tokens'),
    reasoningTokens: numberIn(attributes, 'gen_ai.usage.reasoning.output_tokens'),
  };
}

function textIn(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(attributes: Attributes, name: string): number {
  const value = attributes[name];
  return typeof value === 'number' ? value : 0;
}

/** Returns the text itself if it is not JSON: a long value may have been truncated. */
function jsonIn(attributes: Attributes, name: string): unknown {
  const text = textIn(attributes, name);
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
