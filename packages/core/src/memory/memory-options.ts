import type { Logger, Storage, VectorStore } from '@halyard/contracts';
import type { EmbeddingModel } from '../model/embedding-model.ts';
import type { LanguageModel } from '../model/message.ts';
import type { Schema } from '../schema/schema.ts';

/** The parts of a storage that hold conversations. `users` deletes what they have of one. */
export type MemoryStorage = Pick<Storage, 'conversations' | 'users' | 'workingMemory'>;

export interface MemoryOptions {
  /** Where conversations and working memory are kept. Default: in this process, gone when it ends. */
  readonly storage?: MemoryStorage;
  /** Where texts are found by what they mean; with `embedding`, or not at all. */
  readonly vectors?: VectorStore;
  /** Any AI SDK embedding model: `openai.embedding('text-embedding-3-small')`. */
  readonly embedding?: EmbeddingModel;
  /** How many of the newest stored messages a run sees. Default 10. */
  readonly contextLimit?: number;
  /** `true`: runs read, and never write. */
  readonly readOnly?: boolean;
  /** Notes that agents keep. Absent: agents keep none. */
  readonly workingMemory?: WorkingMemoryOptions;
  /** Whether conversations that runs make get a title. Default: no. */
  readonly titles?: boolean | TitleOptions;
  /** Default: on where there are vectors. */
  readonly semanticRecall?: boolean | SemanticRecallOptions;
  readonly persistence?: Partial<PersistenceSettings>;
  /** Hears of what fails beside requests. Default: the console. */
  readonly logger?: Logger;
}

export type WorkingMemoryScope = 'conversation' | 'user';

export type WorkingMemoryOptions =
  /** A text, in markdown. */
  | {
      /** Default: `conversation`. */
      readonly scope?: WorkingMemoryScope;
      /** The form that agents fill in. */
      readonly template?: string;
      readonly schema?: never;
    }
  /** A JSON object that fits the schema. */
  | { readonly scope?: WorkingMemoryScope; readonly schema: Schema; readonly template?: never };

export interface TitleOptions {
  /** Default: the model of the agent that answered. */
  readonly model?: LanguageModel;
  /** What a title should be like, for the model. */
  readonly instructions?: string;
  /** In characters. Default 60. */
  readonly maxLength?: number;
}

/** Where recalled messages stand among those of the window: after them, before them, or where their time puts them. */
export type MergeStrategy = 'append' | 'prepend' | 'interleave';

export interface SemanticRecallOptions {
  readonly enabled?: boolean;
  /** How many messages are recalled at most. Default 5. */
  readonly semanticLimit?: number;
  /** The least cosine similarity, 0 to 1. Default 0.7; what is much and little depends on the embedding model. */
  readonly semanticThreshold?: number;
  /** Default: `append`. */
  readonly mergeStrategy?: MergeStrategy;
  /** Whether messages are recalled from the same conversation, or from all of the user. Default: `conversation`. */
  readonly scope?: WorkingMemoryScope;
}

export interface PersistenceSettings {
  /** `step`: an answer is written as it grows, step by step. `finish`: all at once, when it is done. Default: `step`. */
  readonly mode: 'step' | 'finish';
  /** How long the write after a step may wait for the next, in milliseconds. Default 200. */
  readonly debounceMs: number;
  /** Whether results of tools are written at once. Default: yes. */
  readonly flushOnToolResult: boolean;
}
