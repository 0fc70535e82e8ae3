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
  const collected: Collected = { texts: [], said: '', toolCalls: [], toolResults: [] };
  for (let batch = await run.nextBatch(); batch !== undefined; batch = await run.nextBatch()) {
    // What agents say that work for this one is theirs.
    for (const event of batch) if (event.agentId === undefined) collect(event, collected);
  }
  const { texts, toolCalls, toolResults } = collected;
  const { ending } = run;
  if (ending.type === 'error') throw new HalyardError('failed', ending.code, ending.error);
  return {
    text: texts.join('\n\n'),
    ...(ending.type === 'finish'
      ? { usage: ending.usage, finishReason: ending.finishReason }
      : { usage: unknownUsage, finishReason: 'other' }),
    toolCalls,
    toolResults,
    ...(conversationId !== undefined && { conversationId }),
  };
}

interface Collected {
  /** One a step that said something. */
  readonly texts: string[];
  /** In the step that is not finished. */
  said: string;
  readonly toolCalls: ToolCallRecord[];
  readonly toolResults: ToolResultRecord[];
}

function collect(event: AgentEvent, collected: Collected): void {
  const { said, texts, toolCalls, toolResults } = collected;
  // What was said by a try that failed is said again.
  if (event.type === 'start-step') collected.said = '';
  else if (event.type === 'text-delta') collected.said += event.delta;
  else if (event.type === 'finish-step') {
    if (said !== '') texts.push(said);
    collected.said = '';
  } else if (event.type === 'tool-call' && event.providerExecuted !== true) {
    const { approvalId, input, signature, toolCallId, toolName } = event;
    const asked = { ...(approvalId !== undefined && { approvalId }), ...(signature !== undefined && { signature }) };
    toolCalls.push({ toolCallId, toolName, input, ...asked });
  } else if (event.type === 'tool-result' && event.providerExecuted !== true) {
    const { input, output, toolCallId, toolName } = event;
    toolResults.push({ toolCallId, toolName, input, output });
  }
}
