import { isHalyardError, TimeLimitError } from '@halyard/contracts';
import type { ToolContext } from '../../tool/tool.ts';
import { journalWithin } from './journal.ts';
import type { Run } from './run.ts';

/** Where a call is in the journal of its run. */
export function toolKey(at: string, toolCallId: string): string {
  return `${at}/tool/${toolCallId}`;
}

type ToolContextOfRun = Omit<ToolContext, 'signal' | 'toolName'>;

/** What the tool of a call is told, besides its signal. */
export function toolContext(run: Run, at: string, toolCallId: string, addUsage: Run['addUsage']): ToolContextOfRun {
  const { user, userId, conversationId } = run;
  return {
    toolCallId,
    idempotencyKey: `${run.id}/${at}/${toolCallId}`,
    context: run.context,
    logger: run.logger,
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    parent: {
      agentPath: run.agentPath,
      services: run.services,
      journal: journalWithin(run.journal, toolKey(at, toolCallId)),
      streaming: run.streaming,
      emit: run.emit,
      addUsage,
    },
  };
}

/** Message only: what a tool throws is its author's word to the model; a stack never leaves the process. */
export function toolErrorMessage(toolName: string, error: unknown): string {
  if (error instanceof TimeLimitError) return error.message;
  if (isHalyardError(error) && error.kind === 'internal') return `Tool "${toolName}" failed`;
  const message = error instanceof Error ? error.message : error;
  return typeof message === 'string' && message !== '' ? message : `Tool "${toolName}" failed`;
}
