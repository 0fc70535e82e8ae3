import type { JsonValue, Owner, Storage } from '@halyard/contracts';
import type { Tool } from '../tool/tool.ts';
import type { WorkingMemoryOptions, WorkingMemoryScope } from './memory-options.ts';

/** Where working memory is read or written. */
export interface WorkingMemoryPlace {
  readonly conversationId: string;
  /** Default: the memory's. */
  readonly scope?: WorkingMemoryScope;
  /** Must be the user of the conversation. */
  readonly userId?: string;
}

export interface WorkingMemoryWrite extends WorkingMemoryPlace {
  /** A string, or an object where the memory has a schema. */
  readonly content: JsonValue;
  readonly mode: 'replace' | 'append';
}

export interface WorkingMemoryContent {
  /** Null where nothing is stored yet. */
  readonly content: JsonValue;
  readonly scope: WorkingMemoryScope;
  readonly format: 'markdown' | 'json';
  readonly template: string | null;
}

/** What the model of a run gets of the working memory. */
export interface WorkingMemoryForRun {
  /** Goes after the instructions of the agent. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

export class WorkingMemory {
  /** Whether agents keep notes. */
  readonly isEnabled: boolean;
  readonly scope: WorkingMemoryScope;
  readonly format: 'markdown' | 'json';

  constructor(_storage: Pick<Storage, 'conversations' | 'workingMemory'>, options: WorkingMemoryOptions | undefined) {
    this.isEnabled = options !== undefined;
    this.scope = options?.scope ?? 'conversation';
    this.format = options?.schema === undefined ? 'markdown' : 'json';
  }

  /**
   * The notes and the tools to keep them, for a run in this conversation; undefined where agents keep none. The conversation may be new.
   *
   * The tools are the same in every run. They write notes of a conversation only where it is stored: a run writes its conversation before it runs one.
   */
  async forRun(
    _owner: Owner,
    _place: { readonly conversationId: string; readonly userId: string; readonly readOnly: boolean },
  ): Promise<WorkingMemoryForRun | undefined> {
    return undefined;
  }

  async read(_owner: Owner, { scope = this.scope }: WorkingMemoryPlace): Promise<WorkingMemoryContent> {
    return { content: null, scope, format: this.format, template: null };
  }

  async write(_owner: Owner, _write: WorkingMemoryWrite): Promise<void> {}
}
