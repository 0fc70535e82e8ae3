import { Agent, createMemory, type ModelMessage } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import type { AskTurn, ScriptRun } from './run-script.ts';
import { eventOfAgent, failureOf, resultOfAgent } from './shared-form.ts';
import { agentProviderTools, agentTools } from './tools.ts';

/** Runs a script with an `Agent`. The history of several turns is in its memory. */
export function runWithAgent({
  script,
  mode,
  model,
  providerOptions,
  providerTools,
  signal,
  onToolCall,
  onEvent,
}: ScriptRun): AskTurn {
  const agent = new Agent({
    id: 'parity',
    model,
    generation: { providerOptions },
    maxSteps: script.maxSteps ?? 5,
    retries: { maxRetries: script.maxRetries ?? 0 },
    memory: script.turns.length > 1 ? createMemory({ contextLimit: 100 }) : false,
    ...(script.instructions !== undefined && { instructions: script.instructions }),
    tools: [...agentTools(script.tools ?? [], onToolCall), ...agentProviderTools(providerTools)],
  });
  const options = {
    ...script.settings,
    ...script.loop,
    signal,
    conversationId: 'c1',
    userId: 'u1',
    services: { logger: silentLogger },
  };

  return async (user) => {
    const content = typeof user === 'string' ? user : [...user];
    const input: readonly ModelMessage[] = [{ role: 'user', content }];
    try {
      if (mode === 'generate') return resultOfAgent({ ...(await agent.generateText(input, options)) });
      const stream = await agent.streamText(input, options);
      for await (const event of stream) onEvent(eventOfAgent({ ...event }));
      return resultOfAgent({ ...(await stream.result) });
    } catch (error) {
      return failureOf(error);
    }
  };
}
