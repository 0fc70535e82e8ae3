import { InvalidInputError } from '@halyard/contracts';
import type { MergeStrategy, PersistenceSettings } from '../memory-options.ts';
import type { MemorySettings, RecallSettings } from '../memory-settings.ts';

/** Which conversation a run belongs to, and what it does with its memory. */
export interface RunMemoryOptions {
  readonly userId?: string;
  readonly conversationId?: string;
  readonly options?: RunMemorySettings;
}

/** Where a request differs from the settings of the memory. */
export interface RunMemorySettings {
  /** How many of the newest stored messages the run sees; what is asked now is not among them. */
  readonly contextLimit?: number;
  /** `true`: the run reads, and writes nothing. */
  readonly readOnly?: boolean;
  readonly semanticMemory?: {
    readonly enabled?: boolean;
    readonly semanticLimit?: number;
    readonly semanticThreshold?: number;
    readonly mergeStrategy?: MergeStrategy;
  };
  readonly conversationPersistence?: Partial<PersistenceSettings>;
}

export interface TurnSettings {
  readonly contextLimit: number;
  readonly readOnly: boolean;
  readonly recall: RecallSettings;
  readonly persistence: PersistenceSettings;
}

/**
 * What holds for one run: what its request says, nested before flat, else the memory's own setting.
 *
 * @throws InvalidInputError
 */
export function turnSettings(
  { contextLimit, persistence, readOnly, semanticRecall }: MemorySettings,
  asked: RunMemorySettings | undefined,
  flatContextLimit: number | undefined,
): TurnSettings {
  if (asked === undefined) {
    return {
      contextLimit: acceptLimit(flatContextLimit ?? contextLimit),
      readOnly,
      recall: semanticRecall,
      persistence,
    };
  }
  return {
    contextLimit: acceptLimit(asked.contextLimit ?? flatContextLimit ?? contextLimit),
    // A memory that nobody may write is not written because a request says so.
    readOnly: readOnly || asked.readOnly === true,
    recall: withGiven(semanticRecall, asked.semanticMemory),
    persistence: withGiven(persistence, asked.conversationPersistence),
  };
}

function acceptLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new InvalidInputError('body/options/contextLimit must be an integer from 0 on');
}

function withGiven<Settings extends object>(settings: Settings, given: Partial<Settings> | undefined): Settings {
  if (given === undefined) return settings;
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(said) };
}
