import type { Logger } from '@halyard/contracts';
import { loggedRunError } from '../model/providers/provider-failure.ts';
import type { FinishReason } from './agent-event.ts';
import type { ToolCallRecord } from './run-result.ts';
import type { Usage } from './usage.ts';

/** The run that a hook is called for. */
export interface HookRun {
  readonly agentId: string;
  readonly runId: string;
  readonly userId: string | undefined;
  readonly conversationId: string | undefined;
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * Observers of a run. They are awaited. An error that one throws is logged and has no effect on the
 * run.
 */
export interface AgentHooks {
  readonly onStart?: ((run: HookRun) => void | Promise<void>) | undefined;
  readonly onStepEnd?: ((run: HookRun, step: StepInfo) => void | Promise<void>) | undefined;
  readonly onToolStart?: ((run: HookRun, call: ToolCallRecord) => void | Promise<void>) | undefined;
  readonly onToolEnd?: ((run: HookRun, call: ToolEndInfo) => void | Promise<void>) | undefined;
  /** The run has finished with a complete reply. */
  readonly onEnd?: ((run: HookRun, end: EndInfo) => void | Promise<void>) | undefined;
  /** The run failed or was aborted. */
  readonly onError?: ((run: HookRun, error: unknown) => void | Promise<void>) | undefined;
}

export interface StepInfo {
  /** From 0. */
  readonly step: number;
  readonly text: string;
  readonly toolCalls: readonly ToolCallRecord[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

export interface EndInfo {
  /** Of the last step. */
  readonly text: string;
  /** Of all steps, separated by blank lines. */
  readonly fullText: string;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
}

export type ToolEndInfo = ToolCallRecord & { readonly durationMs: number } & (
    | { readonly output: unknown; readonly error?: undefined }
    | { readonly error: unknown; readonly output?: undefined }
  );

/** Calls a hook, and logs the error that it throws. Returns a promise only if the hook does. */
export function callHook(
  logger: Logger,
  name: string,
  call: () => void | Promise<void> | undefined,
): void | Promise<void> {
  const failed = (error: unknown): void => logger.warn({ ...loggedRunError(error), hook: name }, 'a hook threw');
  try {
    // A hook may be an arrow function that returns some other value.
    const result: unknown = call();
    return result instanceof Promise ? result.then(() => {}, failed) : undefined;
  } catch (error) {
    failed(error);
  }
}
