import { ConfigurationError, type JsonObject } from '@halyard/contracts';
import type { LanguageModel } from '../model/message.ts';
import type {
  MemoryOptions,
  MergeStrategy,
  PersistenceSettings,
  SemanticRecallOptions,
  WorkingMemoryScope,
} from './memory-options.ts';

/** What a memory does where a request says nothing. */
export interface MemorySettings {
  readonly contextLimit: number;
  readonly readOnly: boolean;
  readonly persistence: PersistenceSettings;
  readonly semanticRecall: RecallSettings;
  readonly titles: TitleSettings | undefined;
}

export interface RecallSettings {
  readonly enabled: boolean;
  readonly semanticLimit: number;
  readonly semanticThreshold: number;
  readonly mergeStrategy: MergeStrategy;
  readonly scope: WorkingMemoryScope;
}

export interface TitleSettings {
  readonly model: LanguageModel | undefined;
  readonly instructions: string;
  readonly maxLength: number;
}

/** @throws ConfigurationError naming the option. */
export function memorySettings(options: MemoryOptions): MemorySettings {
  const { contextLimit = 10, readOnly = false, persistence = {}, embedding, vectors } = options;
  if ((embedding === undefined) !== (vectors === undefined)) {
    throw new ConfigurationError('A memory needs both `embedding` and `vectors` to search, or none of them');
  }
  const { mode = 'step', debounceMs = 200, flushOnToolResult = true } = persistence;
  return {
    contextLimit: wholeNumber(contextLimit, 'contextLimit'),
    readOnly,
    persistence: {
      mode: oneOf(['step', 'finish'], mode, 'persistence.mode'),
      debounceMs: wholeNumber(debounceMs, 'persistence.debounceMs'),
      flushOnToolResult,
    },
    semanticRecall: recallSettings(options.semanticRecall, vectors !== undefined),
    titles: titleSettings(options.titles),
  };
}

function recallSettings(option: MemoryOptions['semanticRecall'], canSearch: boolean): RecallSettings {
  const asked: SemanticRecallOptions = typeof option === 'boolean' ? { enabled: option } : (option ?? {});
  const { enabled = canSearch, mergeStrategy = 'append', scope = 'conversation' } = asked;
  const { semanticLimit = 5, semanticThreshold = 0.7 } = asked;
  if (enabled && !canSearch) throw new ConfigurationError('semanticRecall of a memory needs `embedding` and `vectors`');
  if (!(semanticThreshold >= 0 && semanticThreshold <= 1)) {
    throw new ConfigurationError('semanticRecall.semanticThreshold of a memory must be a number from 0 to 1');
  }
  return {
    enabled,
    semanticLimit: wholeNumber(semanticLimit, 'semanticRecall.semanticLimit'),
    semanticThreshold,
    mergeStrategy: oneOf(['append', 'prepend', 'interleave'], mergeStrategy, 'semanticRecall.mergeStrategy'),
    scope: oneOf(['conversation', 'user'], scope, 'semanticRecall.scope'),
  };
}

const titleInstructions =
  'Name the topic of this conversation in at most six words, in the language of the user. Answer with the title alone: no quotation marks, no final period.';

function titleSettings(option: MemoryOptions['titles']): TitleSettings | undefined {
  if (option === undefined || option === false) return undefined;
  const { model, instructions = titleInstructions, maxLength = 60 } = option === true ? {} : option;
  if (!Number.isInteger(maxLength) || maxLength < 1) {
    throw new ConfigurationError('titles.maxLength of a memory must be an integer from 1 on');
  }
  return { model, instructions, maxLength };
}

function wholeNumber(value: number, name: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ConfigurationError(`${name} of a memory must be an integer from 0 on`);
}

/** For who writes no types. */
function oneOf<Value extends string>(values: readonly Value[], value: Value, name: string): Value {
  if (values.includes(value)) return value;
  throw new ConfigurationError(`${name} of a memory must be one of ${values.join(', ')}`);
}

/** What clients may know of a memory. */
export function memoryConfig(
  { contextLimit, persistence, semanticRecall, titles }: MemorySettings,
  workingMemory: { readonly scope: WorkingMemoryScope; readonly format: 'markdown' | 'json' } | null,
): JsonObject {
  const { enabled, ...recall } = semanticRecall;
  return {
    contextLimit,
    workingMemory: workingMemory === null ? null : { scope: workingMemory.scope, format: workingMemory.format },
    semanticRecall: enabled ? recall : null,
    titles: titles !== undefined,
    persistence: { ...persistence },
  };
}
