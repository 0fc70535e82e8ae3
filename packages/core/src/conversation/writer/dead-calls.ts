import type { Message, MessagePart, ToolPart } from '@halyard/contracts';
import { cutMark } from '../../model/prompt/cut-step.ts';
import { delegatingCalls } from '../../model/prompt/delegated-calls.ts';
import { missingResultText } from '../../model/prompt/missing-result.ts';
import { type IsClientSide, isToolPart } from '../client-responses.ts';
import { toolNameFromPart } from '../tool-name-from-part.ts';

/**
 * Marks a call that an execution of a workflow makes: another process continues it if this one
 * dies.
 */
const executionMark = { execution: true };

/**
 * The message with an error for each call that nobody runs any more, because its process died.
 * Calls that wait for the client or for a person stay, and so do calls of executions. The same
 * object if there are none.
 *
 * @param isExtended whether the run continues the message: the provider may still send results of
 * its own calls.
 */
export function withoutDeadCalls<Kept extends Message>(
  message: Kept,
  isClientSide: IsClientSide,
  { isExtended }: { readonly isExtended: boolean },
): Kept {
  if (message.role !== 'assistant') return message;
  const delegating = delegatingCalls(message.parts);
  const waiting = delegatingCalls(message.parts, ['approval-requested']);
  const isDead = (part: MessagePart): part is ToolPart => {
    if (!isToolPart(part) || part.callProviderMetadata?.['halyard']?.['execution'] === true) return false;
    const isOfProvider = part.providerExecuted === true;
    if (part.state === 'output-available')
      return delegating.has(part.toolCallId) && !(isExtended && waiting.has(part.toolCallId));
    // The server had asked for the approval, so it ran the tool.
    if (part.state === 'approval-responded') return !isOfProvider;
    if (part.state !== 'input-available') return false;
    return isOfProvider ? !isExtended : isClientSide(toolNameFromPart(part)) === false;
  };
  if (!message.parts.some(isDead)) return message;
  return { ...message, parts: message.parts.map((part) => (isDead(part) ? dead(part) : part)) };
}

function dead(part: ToolPart): ToolPart {
  const { providerExecuted, state } = part;
  if (state === 'approval-responded' && !part.approval.approved)
    return { ...(part as object), state: 'output-denied' } as ToolPart;
  const { output: _, ...call } = part as ToolPart & { readonly output?: unknown };
  return {
    ...call,
    state: 'output-error',
    errorText: missingResultText,
    ...(providerExecuted === true && { resultProviderMetadata: cutMark }),
  } as ToolPart;
}

/** The parts of a reply that an execution writes. */
export function ofExecution(parts: MessagePart[]): MessagePart[] {
  return parts.map((part) => {
    if (!isToolPart(part) || (part.state !== 'input-available' && part.state !== 'approval-responded')) return part;
    const { callProviderMetadata } = part;
    const halyard = { ...callProviderMetadata?.['halyard'], ...executionMark };
    return { ...part, callProviderMetadata: { ...callProviderMetadata, halyard } };
  });
}
