import { abortable } from '../../async/abortable.ts';
import { promptInput } from '../../model/call-input.ts';
import { invalidToolInput, noSuchTool } from '../../model/prompt/tool-call-problem.ts';
import type { RepairToolCall } from '../loop-control.ts';
import type { Run } from '../loop/run.ts';
import { withoutSystemMessages } from '../loop/step/step-preparation.ts';
import type { RequestedCall, StepOutcome } from '../loop/step/step-reader.ts';
import { parseArguments } from './parse-arguments.ts';

/**
 * Asks the app to repair a call that cannot run, once. The repaired call replaces the model's, in
 * the journal, too.
 *
 * @param message the fault of the arguments; undefined where there is no such tool.
 * @returns whether the call has changed.
 */
export async function repairCall(
  run: Run,
  repairToolCall: RepairToolCall,
  requested: RequestedCall,
  message: string | undefined,
): Promise<boolean> {
  const { input, isRepairAsked, toolCallId, toolName } = requested;
  if (isRepairAsked === true) return false;
  requested.isRepairAsked = true;
  const { findTool, limits, modelTools } = run.dependencies;
  const { instructions, prompt } = run.conversation;
  const error =
    message === undefined
      ? await noSuchTool(
          toolName,
          modelTools.map(({ name }) => name),
        )
      : await invalidToolInput(toolName, input, message);
  const repaired = await abortable(
    repairToolCall({
      toolCall: { type: 'tool-call', toolCallId, toolName, input },
      error,
      inputSchema: async (tool) => findTool(tool.toolName)?.input.jsonSchema ?? {},
      instructions,
      messages: withoutSystemMessages(prompt),
      abortSignal: limits.signal,
    }),
    limits.signal,
  );
  if (repaired === null) return false;
  requested.toolName = repaired.toolName;
  requested.input = repaired.input;
  return true;
}

/** The outcome of a step with repaired calls: the model must not see the original faults. */
export function withRepairs(outcome: StepOutcome): StepOutcome {
  const asked = outcome.calls.filter(({ isRepairAsked }) => isRepairAsked === true);
  if (asked.length === 0) return outcome;
  const content = outcome.content.map((part) => {
    const call = part.type === 'tool-call' && asked.find(({ toolCallId }) => toolCallId === part.toolCallId);
    if (!call) return part;
    return { ...part, toolName: call.toolName, input: promptInput(parseArguments(call.input)) };
  });
  return { ...outcome, content };
}
