import type { ModelWarning } from '../../../model/providers/model-port.ts';
import type { ToolCallFlags } from '../../tools/tool-call-flags.ts';
import type { Emit } from '../run.ts';
import type { RequestedCall } from './step-reader.ts';

export interface StepReaderOptions {
  readonly emit: Emit;
  /**
   * Whether output processors have returned the parts: parts that they cannot check (reasoning,
   * chunks of the provider) are not emitted.
   */
  readonly isProcessed: boolean;
  /** Whether chunks of the provider are emitted as `raw` events. */
  readonly rawChunks: boolean;
  /** Called for each call that the provider does not run itself, which it emits. */
  readonly onToolCall: (call: RequestedCall) => Promise<void> | undefined;
  /** The input of a call of an earlier step. */
  readonly inputOf: (toolCallId: string) => unknown;
  readonly flagsFor: (toolName: string) => ToolCallFlags;
  readonly onWarnings: (warnings: readonly ModelWarning[]) => void;
}
