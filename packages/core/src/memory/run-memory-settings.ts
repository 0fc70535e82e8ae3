import { InvalidInputError } from '@halyard/contracts';
import type { MemorySettings, MergeStrategy, PersistenceSettings, RecallSettings } from './memory-options.ts';

/** The conversation of a run, and how the run uses the memory. */
export interface RunMemoryOptions {
  readonly userId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly options?: RunMemorySettings | undefined;
}

/** Settings of one run that override those of the memory. */
export interface RunMemorySettings {
  /** How many of the newest stored messages the run adds to its prompt, without the new input. */
  readonly contextLimit?: number | undefined;
  /** `true`: the run reads the memory and writes nothing. */
  readonly readOnly?: boolean | undefined;
  readonly semanticMemory?:
    | {
        readonly enabled?: boolean | undefined;
        readonly semanticLimit?: number | undefined;
        readonly semanticThreshold?: number | undefined;
        readonly mergeStrategy?: MergeStrategy | undefined;
      }
    | undefined;
  readonly conversationPersistence?: Partial<PersistenceSettings> | undefined;
}

export interface ConversationSettings {
  readonly contextLimit: number;
  readonly readOnly: boolean;
  readonly recall: RecallSettings;
  readonly persistence: PersistenceSettings;
}

/**
 * The settings of one run: first those nested in its request, then the flat `contextLimit`, then
 * those of the memory.
 *
 * @throws InvalidInputError
 */
export function conversationSettings(
  { contextLimit, persistence, readOnly, semanticRecall }: MemorySettings,
  requested: RunMemorySettings | undefined,
  flatContextLimit: number | undefined,
): ConversationSettings {
  if (requested === undefined) {
    return {
      contextLimit: acceptLimit(flatContextLimit ?? contextLimit),
      readOnly,
      recall: semanticRecall,
      persistence,
    };
  }
  return {
    contextLimit: acceptLimit(requested.contextLimit ?? flatContextLimit ?? contextLimit),
    // A request cannot make a read-only memory writable.
    readOnly: readOnly || requested.readOnly === true,
    recall: withOverrides(semanticRecall, requested.semanticMemory),
    persistence: withOverrides(persistence, requested.conversationPersistence),
  };
}

function acceptLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new InvalidInputError('body/options/contextLimit must be an integer from 0 on');
}

function withOverrides<Settings extends object>(
  settings: Settings,
  overrides: Partial<Settings> | undefined,
): Settings {
  if (overrides === undefined) return settings;
  const defined = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(defined) };
}
