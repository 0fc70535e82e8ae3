import { ConfigurationError } from '@halyard/contracts';
import { acceptModel } from '../../model/providers/resolve-models.ts';
import type { AgentOptions } from '../agent-options.ts';
import { compact, type CompactionOptions } from './compact.ts';
import { inputGuardrail, outputGuardrail } from './guardrails.ts';
import type { Processor } from './processor.ts';
import { tokenWindow } from './token-window.ts';

/** All processors of an agent, in their order. @throws ConfigurationError */
export function agentProcessors(options: AgentOptions): Processor[] {
  const { compaction, contextTokens, id, inputGuardrails = [], outputGuardrails = [], processors = [] } = options;
  if (contextTokens !== undefined && !(Number.isInteger(contextTokens) && contextTokens > 0))
    throw new ConfigurationError(`contextTokens of agent "${id}" must be an integer from 1 on`);
  return [
    ...processors,
    ...inputGuardrails.map(inputGuardrail),
    ...outputGuardrails.map(outputGuardrail),
    ...(compaction === undefined ? [] : [acceptCompaction(compaction, options)]),
    ...(contextTokens === undefined ? [] : [tokenWindow({ maxTokens: contextTokens })]),
  ];
}

function acceptCompaction(
  compaction: CompactionOptions,
  { contextTokens, id, memory, providers }: AgentOptions,
): Processor {
  const { afterTokens, model } = compaction;
  if (memory === false)
    throw new ConfigurationError(`compaction of agent "${id}" needs a memory: remove memory: false`);
  if (contextTokens !== undefined && afterTokens >= contextTokens)
    throw new ConfigurationError(`compaction.afterTokens of agent "${id}" must be less than its contextTokens`);
  return compact(model === undefined ? compaction : { ...compaction, model: acceptModel<never>(id, model, providers) });
}
