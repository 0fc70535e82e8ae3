import { InvalidInputError } from '@halyard/contracts';
import type { Agent, LanguageModel, ModelMessage } from '@halyard/core';
import { createTrial, type InternalRunOptions, pricedTrial } from '@halyard/core/server';
import { type Caller, requireOperator } from '../../../access/identity.ts';
import { isVisible } from '../../../access/targets.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { IdParams } from '../common-schemas.ts';
import { TrialRequest, TrialResult } from './trial-schemas.ts';

export const trialRoutes = [
  defineRoute({
    method: 'POST',
    url: '/agents/:id/try',
    tier: 'console',
    operationId: 'tryModelCall',
    tag: 'Agents',
    summary: 'Call a model with edited instructions, messages, tools and settings',
    description:
      'One model call, which is recorded as a run of the agent, with its guardrails, retries and limits. Nothing is stored in a conversation, and no tool is run: the reply contains the calls that the model proposes.',
    params: IdParams,
    body: TrialRequest,
    bodySize: 'agent',
    failures: [403, 404, 500],
    data: TrialResult,
    handler: async (call, services) => {
      const { body, caller, params, signal, traceParent } = call;
      requireOperator(caller, 'call models with edited prompts');
      const { instructions, messages, settings, tools = [] } = body;
      const agent = services.registry.getAgent(params.id);
      const model = body.model === undefined ? undefined : findModel(body.model, agent, caller, services);
      refuseApprovals(messages);
      const { clock } = services.agentServices;
      const startedAt = clock.now();
      const options: InternalRunOptions = {
        ...settings,
        signal,
        traceParent,
        operation: 'try',
        services: services.agentServices,
      };
      const result = await createTrial(agent, { instructions, model, tools }).generateText(messages, options);
      const { finishReason, fullText, reasoningText, response, toolCalls, usage, warnings } = result;
      for (const warning of warnings) if (warning.type === 'other') call.warn(warning.message);
      const priced = pricedTrial(result, startedAt);
      return {
        text: fullText,
        reasoning: reasoningText ?? null,
        toolCalls: toolCalls.map(({ input, toolCallId, toolName }) => ({ input, toolCallId, toolName })),
        finishReason,
        usage,
        model: response?.modelId ?? priced?.model ?? agent.modelName,
        durationMs: clock.now() - startedAt,
        cost: (priced && services.telemetry?.costOf(priced)) ?? null,
      };
    },
  }),
];

/** @throws InvalidInputError for an id that neither an agent nor the providers of `agent` know. */
function findModel(id: string, agent: Agent, caller: Caller, { registry }: Services): LanguageModel {
  const agents = [agent, ...registry.agents.filter((each) => isVisible(each, caller))];
  for (const { model } of agents) {
    const found = typeof model === 'function' ? undefined : model.find(({ modelId }) => modelId === id);
    if (found !== undefined) return found;
  }
  try {
    const found = agent.providers?.languageModel(id);
    if (found !== undefined) return found;
  } catch {
    // The error of a registry says the same, for developers.
  }
  throw new InvalidInputError(
    `body/model must be a model of an agent or one that the providers of agent "${agent.id}" know`,
  );
}

/** An approval is for a run of its conversation, which it would use up here. */
function refuseApprovals(messages: readonly ModelMessage[]): void {
  const at = messages.findIndex(
    ({ content }) =>
      typeof content !== 'string' &&
      content.some(({ type }) => type === 'tool-approval-response' || type === 'tool-approval-request'),
  );
  if (at !== -1) throw new InvalidInputError(`body/messages/${at} must contain no approval: no tool is run`);
}
