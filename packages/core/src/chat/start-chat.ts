import type { InternalRunOptions } from '../agent/agent-options.ts';
import type { Agent } from '../agent/agent.ts';
import type { AgentInput, UIMessageChunk } from '../model/messages/message.ts';
import { resumeExecutions, type ResumeServices } from './executions/resume-executions.ts';
import { agentChunks, findLastReplyCalls, uiChunks } from './ui-chunks.ts';

/**
 * Runs the agent, or continues the executions to whose approval requests the input responds, as
 * batches of the AI SDK's UI message stream. Aborting the signal of the options ends the chunks;
 * executions continue.
 *
 * @throws the errors of `Agent.streamText` and `resumeExecutions`.
 */
export async function startChat(
  agent: Agent,
  input: AgentInput,
  options: InternalRunOptions,
  services: ResumeServices,
): Promise<AsyncIterable<readonly UIMessageChunk[]>> {
  const resumed = await resumeExecutions(agent, input, options, services);
  if (resumed !== undefined) {
    const messageId = options.messageId ?? services.agentServices.ids.next();
    return uiChunks(resumed.batches(), messageId, findLastReplyCalls(input));
  }
  return agentChunks(await agent.streamText(input, options), input);
}
