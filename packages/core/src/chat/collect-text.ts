import { HalyardError } from '@halyard/contracts';
import type { AgentEvent, FinishReason } from '../agent/agent-event.ts';
import type { ToolCallRecord, ToolResultRecord } from '../agent/run-result.ts';
import { noUsage, type Usage } from '../agent/usage.ts';
import type { ResumedRun } from './executions/resumed-run.ts';

/**
 * The reply of `POST /agents/:id/text`, over all steps. Calls that providers ran themselves are
 * left out.
 */
export interface TextReply {
  readonly text: string;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly toolCalls: readonly ToolCallRecord[];
  readonly toolResults: readonly ToolResultRecord[];
  readonly conversationId?: string;
}

/**
 * Reads a continued run to its end, as the reply to a request. Sub-agents' events are left out.
 *
 * @throws HalyardError naming the step that failed.
 */
export async function collectText(run: ResumedRun, conversationId: string | undefined): Promise<TextReply> {
  const collected: Collected = { stepTexts: [], text: '', toolCalls: [], toolResults: [] };
  for await (const batch of run.batches())
    for (const event of batch) if (event.agentId === undefined) collect(event, collected);
  const { stepTexts, toolCalls, toolResults } = collected;
  const { ending } = run;
  if (ending.type === 'error') throw new HalyardError('failed', ending.code, ending.error);
  return {
    text: stepTexts.join('\n\n'),
    ...(ending.type === 'finish'
      ? { usage: ending.usage, finishReason: ending.finishReason }
      : { usage: noUsage, finishReason: 'other' }),
    toolCalls,
    toolResults,
    ...(conversationId !== undefined && { conversationId }),
  };
}

interface Collected {
  /** Texts of the steps that finished. */
  readonly stepTexts: string[];
  /** Text of the current step. */
  text: string;
  readonly toolCalls: ToolCallRecord[];
  readonly toolResults: ToolResultRecord[];
}

function collect(event: AgentEvent, collected: Collected): void {
  const { stepTexts, text, toolCalls, toolResults } = collected;
  // The text of a failed attempt is repeated by the next.
  if (event.type === 'start-step') collected.text = '';
  else if (event.type === 'text-delta') collected.text += event.delta;
  else if (event.type === 'finish-step') {
    if (text !== '') stepTexts.push(text);
    collected.text = '';
  } else if (event.type === 'tool-call' && event.providerExecuted !== true) {
    const { approvalId, input, signature, toolCallId, toolName } = event;
    const approval = { ...(approvalId !== undefined && { approvalId }), ...(signature !== undefined && { signature }) };
    toolCalls.push({ toolCallId, toolName, input, ...approval });
  } else if (event.type === 'tool-result' && event.preliminary !== true && event.providerExecuted !== true) {
    const { input, output, toolCallId, toolName } = event;
    toolResults.push({ toolCallId, toolName, input, output });
  }
}
