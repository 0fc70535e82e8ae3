import { HalyardError } from '@halyard/contracts';
import type { AgentEvent, TextResult, ToolCallRecord, ToolResultRecord } from '@halyard/core';
import { unknownUsage } from './answered-step.ts';
import type { ContinuedRun } from './continued-run.ts';

/**
 * Reads a continued run to its end, as the result of a run: what was said and done since the answer.
 *
 * @throws HalyardError naming the step that failed.
 */
export async function collectText(run: ContinuedRun, conversationId: string | undefined): Promise<TextResult> {
  const texts: string[] = [];
  const toolCalls: ToolCallRecord[] = [];
  const toolResults: ToolResultRecord[] = [];
  for (let batch = await run.nextBatch(); batch !== undefined; batch = await run.nextBatch()) {
    // What agents say that work for this one is theirs.
    for (const event of batch) if (event.agentId === undefined) collect(event, { texts, toolCalls, toolResults });
  }
  const { ending } = run;
  if (ending.type === 'error') throw new HalyardError('failed', ending.code, ending.error);
  return {
    text: texts.filter((text) => text !== '').join('\n\n'),
    ...(ending.type === 'finish'
      ? { usage: ending.usage, finishReason: ending.finishReason }
      : { usage: unknownUsage, finishReason: 'other' }),
    toolCalls,
    toolResults,
    ...(conversationId !== undefined && { conversationId }),
  };
}

interface Collected {
  /** One a step. */
  readonly texts: string[];
  readonly toolCalls: ToolCallRecord[];
  readonly toolResults: ToolResultRecord[];
}

function collect(event: AgentEvent, { texts, toolCalls, toolResults }: Collected): void {
  if (event.type === 'start-step') texts.push('');
  else if (event.type === 'text-delta') texts.push((texts.pop() ?? '') + event.delta);
  else if (event.type === 'tool-call' && event.providerExecuted !== true) {
    const { approvalId, input, signature, toolCallId, toolName } = event;
    const asked = { ...(approvalId !== undefined && { approvalId }), ...(signature !== undefined && { signature }) };
    toolCalls.push({ toolCallId, toolName, input, ...asked });
  } else if (event.type === 'tool-result' && event.providerExecuted !== true) {
    const { input, output, toolCallId, toolName } = event;
    toolResults.push({ toolCallId, toolName, input, output });
  }
}
