import {
  isHalyardError,
  type JsonValue,
  type StoredApprovalRules,
  type StoredExpiry,
  TimeLimitError,
} from '@halyard/contracts';
import type { Tool, ToolContext } from '../../tool/tool.ts';
import type { ProviderMetadata } from '../agent-event.ts';
import type { UnaskedCall } from '../approvals/approvals.ts';
import { approvalKey, journalWithin, keyPrefix, type RunPart, toolKey } from '../loop/journal.ts';
import type { ParentRun, Run } from '../loop/run.ts';
import type { ToolCallRecord } from '../run-result.ts';

/** The plan for a tool call of the model. `call.input` is as the model wrote it. */
export type PlannedCall = CallPlan & {
  /** Of the call. Events of its outcome have it, too. */
  readonly providerMetadata?: ProviderMetadata;
  /** Why nobody was asked. */
  readonly unasked?: UnaskedCall;
};

export type CallPlan =
  | {
      readonly kind: 'run';
      readonly tool: Tool;
      readonly call: ToolCallRecord;
      /** As validated by the tool's schema. */
      readonly input: unknown;
      /** The response that a person gave when the run was suspended for it. */
      readonly approvalResponse?: JsonValue;
      /** The arguments that the person gave in place of those of the model. */
      readonly changedInput?: JsonValue;
    }
  /** A person must agree, or the client runs the tool: there is no result in this run. */
  | {
      readonly kind: 'wait';
      readonly call: ToolCallRecord;
      readonly expiry?: StoredExpiry | undefined;
      readonly rules?: StoredApprovalRules | undefined;
    }
  | { readonly kind: 'refuse'; readonly call: ToolCallRecord; readonly error: string; readonly invalidInput: boolean }
  /** A person has denied the call. */
  | {
      readonly kind: 'deny';
      readonly call: ToolCallRecord;
      readonly reason: string | undefined;
      readonly approvalResponse: JsonValue;
    };

/**
 * Journal keys of the events that the calls of a step emit at their end. A refused call emits
 * nothing.
 */
export function deliveryKeys(step: number, calls: readonly PlannedCall[]): readonly string[] {
  return calls.flatMap(({ call: { toolCallId }, kind }) => {
    if (kind === 'refuse') return [];
    return kind === 'deny' ? approvalKey(step, toolCallId) : toolKey(step, toolCallId);
  });
}

/** The context of a tool call, without its signal. */
export function toolContext(
  { dependencies, identity, output }: Run,
  step: RunPart,
  toolCallId: string,
  { addUsage, emit, journal }: Pick<ParentRun, 'addUsage' | 'emit'> & Partial<Pick<ParentRun, 'journal'>> = {
    addUsage: output.usage.add,
    emit: output.events.emit,
  },
): Omit<ToolContext, 'signal' | 'toolName' | 'writer'> {
  const { user, userId, conversationId } = identity;
  return {
    toolCallId,
    idempotencyKey: `${identity.id}/${keyPrefix(step)}/${toolCallId}`,
    context: identity.context,
    logger: dependencies.logger,
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    parent: {
      agentPath: identity.agentPath,
      toolCallId,
      services: dependencies.services,
      journal: journal ?? journalWithin(dependencies.journal, toolKey(step, toolCallId)),
      streaming: output.isStreaming(),
      emit,
      addUsage,
      outputProcessors: dependencies.outputProcessors,
    },
  };
}

/**
 * The error of a failed tool for the model and clients: its message, never a stack or the details
 * of an internal error.
 */
export function toolErrorMessage(toolName: string, error: unknown): string {
  if (error instanceof TimeLimitError) return error.message;
  if (isHalyardError(error) && error.kind === 'internal') return `Tool "${toolName}" failed`;
  const message = error instanceof Error ? error.message : error;
  return typeof message === 'string' && message !== '' ? message : `Tool "${toolName}" failed`;
}
