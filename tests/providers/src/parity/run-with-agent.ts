import {
  Agent,
  createMemory,
  type ModelMessage,
  type ObjectEvent,
  type ObjectResult,
  type ObjectStream,
  type RunOptions,
} from '@halyard/core';
import type { ArrayEvent } from '@halyard/core/server';
import { silentLogger } from '@halyard/core/testing';
import { agentOutputs, type OutputName } from './outputs.ts';
import type { AskTurn, ScriptRun } from './run-script.ts';
import { eventOfAgent, failureOf, resultOfAgent, type SharedEvent } from './shared-form.ts';
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
  const hasMemory = script.turns.length > 1;
  const agent = new Agent({
    id: 'parity',
    model,
    generation: { providerOptions },
    maxSteps: script.maxSteps ?? 5,
    retries: { maxRetries: script.maxRetries ?? 0 },
    memory: hasMemory ? createMemory({ contextLimit: 100 }) : false,
    ...(script.instructions !== undefined && { instructions: script.instructions }),
    tools: [...agentTools(script.tools ?? [], onToolCall), ...agentProviderTools(providerTools)],
  });
  const options = {
    ...script.settings,
    ...script.loop,
    signal,
    ...(hasMemory && { conversationId: 'c1' }),
    userId: 'u1',
    services: { logger: silentLogger },
  };

  return async (user) => {
    const content = typeof user === 'string' ? user : [...user];
    const input: readonly ModelMessage[] = [{ role: 'user', content }];
    try {
      if (script.output !== undefined)
        return await askForOutput(agent, script.output, mode, { input, options }, onEvent);
      if (mode === 'generate') return resultOfAgent({ ...(await agent.generateText(input, options)) });
      const stream = await agent.streamText(input, options);
      for await (const event of stream) onEvent(eventOfAgent({ ...event }));
      return resultOfAgent({ ...(await stream.result) });
    } catch (error) {
      return failureOf(error);
    }
  };
}

async function askForOutput(
  agent: Agent,
  name: OutputName,
  mode: ScriptRun['mode'],
  { input, options }: { readonly input: readonly ModelMessage[]; readonly options: RunOptions },
  onEvent: ScriptRun['onEvent'],
): Promise<SharedEvent> {
  if (mode === 'generate') return { ...(await generateOutput(agent, name, input, options)) };
  const stream = await streamOutput(agent, name, input, options);
  for await (const event of stream) if (event.type === 'element') onEvent({ type: 'element', element: event.element });
  return { ...(await stream.result) };
}

type Asked = [agent: Agent, name: OutputName, input: readonly ModelMessage[], options: RunOptions];

async function generateOutput(...[agent, name, input, options]: Asked): Promise<ObjectResult<unknown>> {
  const { people, person, weather } = agentOutputs;
  switch (name) {
    case 'person':
      return agent.generateObject(input, { ...options, ...person });
    case 'people':
      return agent.generateObject(input, { ...options, ...people });
    case 'weather':
      return agent.generateObject(input, { ...options, ...weather });
  }
}

async function streamOutput(
  ...[agent, name, input, options]: Asked
): Promise<ObjectStream<unknown, ArrayEvent | ObjectEvent>> {
  const { people, person, weather } = agentOutputs;
  switch (name) {
    case 'person':
      return agent.streamObject(input, { ...options, ...person });
    case 'people':
      return agent.streamObject(input, { ...options, ...people });
    case 'weather':
      return agent.streamObject(input, { ...options, ...weather });
  }
}
