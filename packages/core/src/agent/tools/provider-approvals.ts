import type { ToolPrompt } from '../../model/providers/model-port.ts';
import { modelKey } from '../loop/journal.ts';
import type { Run } from '../loop/run.ts';
import type { StepOutcome } from '../loop/step/step-reader.ts';

/**
 * Whether the run ends so that a person can approve calls that the provider runs. The next request
 * contains the replies, which go to the provider.
 */
export function waitsForApproval({ dependencies, identity }: Run, { approvals = [] }: StepOutcome): boolean {
  return approvals.length > 0 && !identity.isDelegated && dependencies.journal.suspensions === undefined;
}

/**
 * Denies the calls of a step that the provider asks approval for, where nobody can be asked.
 * @returns the results for the model.
 */
export async function denyApprovals(
  { conversation, output }: Run,
  step: number,
  { approvals = [], content }: StepOutcome,
): Promise<ToolPrompt['content']> {
  const { emit } = output.events.for([modelKey(step)]);
  const denials: ToolPrompt['content'] = [];
  for (const { approvalId, toolCallId } of approvals) {
    const call = content.find((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
    if (call?.type !== 'tool-call') continue;
    const { input, toolName } = call;
    conversation.writer?.setApprovalResponse(toolCallId, { approved: false, reason });
    await emit({
      type: 'tool-error',
      toolCallId,
      toolName,
      input,
      providerExecuted: true,
      error: reason,
      denied: true,
    });
    denials.push({ type: 'tool-approval-response', approvalId, approved: false, reason });
  }
  return denials;
}

const reason = 'This run cannot ask a person';
