import type { FinishReason } from './agent-event.ts';
import type { RunContext } from './agent-options.ts';
import type { StepResult } from './run-result.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';

/** The start or the end of a run that writes a message. */
export type MetadataPart =
  | { readonly type: 'start' }
  | {
      readonly type: 'finish';
      readonly finishReason: FinishReason;
      /** The tokens of the whole run, of its sub-agents, too. */
      readonly usage: Usage;
      readonly steps: readonly StepResult[];
    };

/** The input of `messageMetadata`. */
export interface MetadataRequest extends RunContext {
  readonly part: MetadataPart;
  /** The metadata so far: of an earlier run, if this one continues the message. */
  readonly metadata: unknown;
}

/**
 * Returns the addition to the metadata of the assistant's message: an object of JSON values, or
 * undefined.
 */
export type MessageMetadata = (request: MetadataRequest) => unknown;

/**
 * The metadata of a message whose agent has no `messageMetadata`. A type, so that it is an object
 * of any metadata.
 */
export type UsageMetadata = {
  /** The tokens of all runs that have written the message. */
  readonly usage: Usage;
  /** The model of the last step. Absent if no model was called. */
  readonly modelId?: string;
};

/** The tokens and the model of a message, when it ends. */
export function usageMetadata({
  metadata,
  part,
}: Pick<MetadataRequest, 'part' | 'metadata'>): UsageMetadata | undefined {
  if (part.type === 'start') return undefined;
  const modelId = part.steps.at(-1)?.model.modelId;
  return { usage: addUsage(usageIn(metadata), part.usage), ...(modelId !== undefined && { modelId }) };
}

function usageIn(metadata: unknown): Usage {
  if (typeof metadata !== 'object' || metadata === null || !('usage' in metadata)) return noUsage;
  const { usage } = metadata;
  return isUsage(usage) ? usage : noUsage;
}

function isUsage(usage: unknown): usage is Usage {
  if (typeof usage !== 'object' || usage === null) return false;
  return Object.keys(noUsage).every((name) => typeof Reflect.get(usage, name) === 'number');
}
