import {
  checkOptionNames,
  ConfigurationError,
  type JsonObject,
  type OptionNames,
  type Logger,
  type Storage,
  type VectorStore,
} from '@halyard/contracts';
import type { LanguageModel } from '../model/messages/message.ts';
import type { EmbeddingModel } from '../model/providers/embedding-model.ts';
import type { Schema } from '../schema/schema.ts';

/** The parts of a storage that a memory needs. `users` deletes all data of a user. */
export type MemoryStorage = Pick<Storage, 'conversations' | 'streams' | 'users' | 'workingMemory'>;

export interface MemoryOptions {
  /**
   * Where conversations and working memory are stored. Default: in this process, lost when it ends.
   */
  readonly storage?: MemoryStorage | undefined;
  /** Where the texts of messages are searched by meaning. Requires `embedding`. */
  readonly vectors?: VectorStore | undefined;
  /**
   * Any AI SDK embedding model: `openai.embedding('text-embedding-3-small')`. Requires `vectors`.
   */
  readonly embedding?: EmbeddingModel | undefined;
  /**
   * How many of the newest stored messages a run adds to its prompt. From 4 on, up to half as many
   * more, so that providers can cache the beginning of the prompt. Default 10.
   */
  readonly contextLimit?: number | undefined;
  /** `true`: runs read the memory and never write to it. */
  readonly readOnly?: boolean | undefined;
  /** Absent: agents have no working memory. */
  readonly workingMemory?: WorkingMemoryOptions | undefined;
  /** Whether conversations without a title get one after their first turn. Default: no. */
  readonly titles?: boolean | TitleOptions | undefined;
  /** Default: on when there are `vectors`. */
  readonly semanticRecall?: boolean | SemanticRecallOptions | undefined;
  readonly persistence?: Partial<PersistenceSettings> | undefined;
  readonly limits?: Partial<MemoryLimits> | undefined;
  /** Logs failures of background work. Default: the console. */
  readonly logger?: Logger | undefined;
}

export type WorkingMemoryScope = 'conversation' | 'user';

export type WorkingMemoryOptions =
  /** A text, in markdown. */
  | {
      /** Default: `conversation`. */
      readonly scope?: WorkingMemoryScope | undefined;
      /** A form for agents to fill in. */
      readonly template?: string | undefined;
      readonly schema?: undefined;
    }
  /** A JSON object that fits the schema. */
  | { readonly scope?: WorkingMemoryScope | undefined; readonly schema: Schema; readonly template?: undefined };

export interface TitleOptions {
  /** Default: the model of the agent that replied. */
  readonly model?: LanguageModel | undefined;
  /** Instructions for the model that creates titles. */
  readonly instructions?: string | undefined;
  /** In characters. Default 60. */
  readonly maxLength?: number | undefined;
}

/**
 * Where recalled messages are put: after the messages of the window, before them, or between them
 * by time.
 */
export type MergeStrategy = 'append' | 'prepend' | 'interleave';

export interface SemanticRecallOptions {
  readonly enabled?: boolean | undefined;
  /** How many messages are recalled at most. Default 5. */
  readonly semanticLimit?: number | undefined;
  /**
   * The minimum cosine similarity, 0 to 1. Default 0.7; a useful value depends on the embedding
   * model.
   */
  readonly semanticThreshold?: number | undefined;
  /** Default: `append`. */
  readonly mergeStrategy?: MergeStrategy | undefined;
  /**
   * Whether messages are recalled from the same conversation, or from all conversations of the
   * user. Default: `conversation`.
   */
  readonly scope?: WorkingMemoryScope | undefined;
}

export interface PersistenceSettings {
  /**
   * `step`: a reply is written after each step. `finish`: once, when the run ends. Default: `step`.
   */
  readonly mode: 'step' | 'finish';
  /** How long the write after a step may wait for the next step, in milliseconds. Default 200. */
  readonly debounceMs: number;
  /** Whether results of tools are written immediately. Default: yes. */
  readonly flushOnToolResult: boolean;
}

/**
 * The maximum sizes of stored and read data, in bytes of JSON. Larger values are refused with
 * `VALUE_TOO_LARGE`, and not written.
 */
export interface MemoryLimits {
  /** Of a message, its files in `data:` URLs included. Default 8 MiB. */
  readonly messageBytes: number;
  /** Of the metadata of a conversation. Default 16 KiB. */
  readonly metadataBytes: number;
  /** Of the title of a conversation. Default 1 KiB. */
  readonly titleBytes: number;
  /** Of a working memory, which is part of each prompt. Default 64 KiB. */
  readonly workingMemoryBytes: number;
  /** Of the messages of a conversation that is cloned with them, together. Default 32 MiB. */
  readonly clonedBytes: number;
  /** How many messages a conversation may have that is cloned with them. Default 10 000. */
  readonly clonedMessages: number;
  /**
   * Of the messages that are read at once, for a prompt or a page. A single larger message is still
   * read. Default 4 MiB.
   */
  readonly pageBytes: number;
}

export const defaultMemoryLimits: MemoryLimits = {
  messageBytes: 8 * 1024 * 1024,
  metadataBytes: 16 * 1024,
  titleBytes: 1024,
  workingMemoryBytes: 64 * 1024,
  clonedBytes: 32 * 1024 * 1024,
  clonedMessages: 10_000,
  pageBytes: 4 * 1024 * 1024,
};

/** The options of a memory with their defaults. A request may override some of them. */
export interface MemorySettings {
  readonly contextLimit: number;
  readonly readOnly: boolean;
  readonly persistence: PersistenceSettings;
  readonly semanticRecall: RecallSettings;
  readonly titles: TitleSettings | undefined;
  readonly limits: MemoryLimits;
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

const optionNames: OptionNames<MemoryOptions> = {
  contextLimit: true,
  embedding: true,
  limits: true,
  logger: true,
  persistence: true,
  readOnly: true,
  semanticRecall: true,
  storage: true,
  titles: true,
  vectors: true,
  workingMemory: true,
};

/** @throws ConfigurationError naming the option. */
export function memorySettings(options: MemoryOptions): MemorySettings {
  checkOptionNames('createMemory', options, optionNames);
  const { contextLimit = 10, readOnly = false, persistence = {}, embedding, vectors } = options;
  if ((embedding === undefined) !== (vectors === undefined)) {
    throw new ConfigurationError('A memory needs both `embedding` and `vectors` to search, or none of them');
  }
  const { mode = 'step', debounceMs = 200, flushOnToolResult = true } = persistence;
  return {
    contextLimit: wholeNumber(contextLimit, 'contextLimit'),
    readOnly,
    persistence: {
      mode: pickOne(['step', 'finish'], mode, 'persistence.mode'),
      debounceMs: wholeNumber(debounceMs, 'persistence.debounceMs'),
      flushOnToolResult,
    },
    semanticRecall: recallSettings(options.semanticRecall, vectors !== undefined),
    titles: titleSettings(options.titles),
    limits: memoryLimits(options.limits),
  };
}

function memoryLimits(option: MemoryOptions['limits'] = {}): MemoryLimits {
  const limits = { ...defaultMemoryLimits, ...option };
  for (const [name, value] of Object.entries(limits)) wholeNumber(value, `limits.${name}`);
  return limits;
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
    mergeStrategy: pickOne(['append', 'prepend', 'interleave'], mergeStrategy, 'semanticRecall.mergeStrategy'),
    scope: pickOne(['conversation', 'user'], scope, 'semanticRecall.scope'),
  };
}

const titleInstructions =
  'Name the topic of this conversation in at most six words, in the language of the user. Answer with the title alone: no quotation marks, no final period.';

function titleSettings(option: MemoryOptions['titles']): TitleSettings | undefined {
  if (option === undefined || option === false) return undefined;
  const asked: TitleOptions = option === true ? {} : option;
  const { model, instructions = titleInstructions, maxLength = 60 } = asked;
  if (!Number.isInteger(maxLength) || maxLength < 1) {
    throw new ConfigurationError('titles.maxLength of a memory must be an integer from 1 on');
  }
  return { model, instructions, maxLength };
}

function wholeNumber(value: number, name: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ConfigurationError(`${name} of a memory must be an integer from 0 on`);
}

/** Checks what callers without TypeScript pass. */
function pickOne<Value extends string>(values: readonly Value[], value: Value, name: string): Value {
  if (values.includes(value)) return value;
  throw new ConfigurationError(`${name} of a memory must be one of ${values.join(', ')}`);
}

/** The settings that clients can read. */
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
