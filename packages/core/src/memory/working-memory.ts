import {
  InvalidInputError,
  type JsonValue,
  NotFoundError,
  type Owner,
  type Storage,
  type WorkingMemoryKey,
} from '@halyard/contracts';
import type { Tool } from '../tool/tool.ts';
import { changeNotes } from './change-notes.ts';
import type { WorkingMemoryOptions, WorkingMemoryScope } from './memory-options.ts';
import type { NotesFormat } from './notes-format.ts';
import { schemaNotes } from './schema-notes.ts';
import { textNotes } from './text-notes.ts';
import { workingMemoryInstructions } from './working-memory-instructions.ts';
import { type NotesCall, workingMemoryTools } from './working-memory-tools.ts';

/** Where working memory is read or written. */
export interface WorkingMemoryPlace {
  readonly conversationId: string;
  /** Default: the memory's, and then its user is that of the conversation. `user`: needs `userId`. */
  readonly scope?: WorkingMemoryScope;
  /** Must be the user of the conversation. */
  readonly userId?: string;
}

export interface WorkingMemoryWrite extends WorkingMemoryPlace {
  /** A string; where the memory has a schema, an object (or the text of one). */
  readonly content: JsonValue;
  /** `append`: a text after a blank line, an object merged. */
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

/** The notes of conversations or users, as one memory keeps them. */
export class WorkingMemory {
  /** Whether agents keep notes. Where they do not, others still can: a text for each conversation. */
  readonly isEnabled: boolean;
  readonly scope: WorkingMemoryScope;
  readonly #format: NotesFormat;
  readonly #storage: Pick<Storage, 'conversations' | 'workingMemory'>;
  readonly #tools: readonly [read: Tool, write: Tool];

  /** @throws ConfigurationError for a schema that cannot be used. */
  constructor(storage: Pick<Storage, 'conversations' | 'workingMemory'>, options: WorkingMemoryOptions | undefined) {
    this.#storage = storage;
    this.isEnabled = options !== undefined;
    this.scope = options?.scope ?? 'conversation';
    this.#format = options?.schema === undefined ? textNotes(options?.template ?? null) : schemaNotes(options.schema);
    this.#tools = workingMemoryTools({
      input: this.#format.toolInput,
      format: this.format,
      read: (call) => this.#present(call.owner, this.#keyOf(call)),
      write: (call, input) => this.#writeFromTool(call, input),
    });
  }

  get format(): 'markdown' | 'json' {
    return this.#format.name;
  }

  /**
   * The notes and the tools to keep them, for a run in this conversation; undefined where agents keep none. The conversation may be new.
   *
   * The tools are the same in every run. They write notes of a conversation only where it is stored: a run writes its conversation before it runs one.
   */
  async forRun(
    owner: Owner,
    place: { readonly conversationId: string; readonly userId: string; readonly readOnly: boolean },
  ): Promise<WorkingMemoryForRun | undefined> {
    if (!this.isEnabled) return undefined;
    const { scope } = this;
    const { template } = this.#format;
    const { readOnly } = place;
    const content = await this.#present(owner, this.#keyOf({ owner, ...place }));
    return {
      instructions: workingMemoryInstructions({ content, template, scope, readOnly }),
      tools: readOnly ? this.#tools.slice(0, 1) : this.#tools,
    };
  }

  /** @throws NotFoundError, InvalidInputError for a user who is not that of the conversation, or missing. */
  async read(owner: Owner, place: WorkingMemoryPlace): Promise<WorkingMemoryContent> {
    const key = await this.#placeKey(owner, place);
    const content = await this.#present(owner, key);
    return { content, scope: key.scope, format: this.format, template: this.#format.template };
  }

  /** @throws NotFoundError, InvalidInputError naming the field of content that does not fit, also after it was appended. */
  async write(owner: Owner, { content, mode, ...place }: WorkingMemoryWrite): Promise<void> {
    const key = await this.#placeKey(owner, place);
    await this.#write(owner, key, { content, mode, at: 'body/content' });
  }

  async #writeFromTool(call: NotesCall, input: unknown): Promise<void> {
    const key = this.#keyOf(call);
    await this.#write(call.owner, key, { ...this.#format.fromTool(input), at: 'input' });
  }

  async #write(
    owner: Owner,
    key: WorkingMemoryKey,
    { content, mode, at }: { readonly content: unknown; readonly mode: 'replace' | 'append'; readonly at: string },
  ): Promise<void> {
    const format = this.#format;
    const given = format.accept(content, at);
    const written = await changeNotes(this.#storage.workingMemory, owner, key, {
      change: (stored) => (mode === 'append' ? format.append(stored, given) : given),
      fault: (next) => format.fault(next, at),
    });
    if (!written) throw notOwned(key);
  }

  async #present(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue> {
    return this.#format.present(await this.#storage.workingMemory.read(owner, key));
  }

  async #placeKey(owner: Owner, { conversationId, scope, userId }: WorkingMemoryPlace): Promise<WorkingMemoryKey> {
    if (scope === 'user' && userId === undefined) throw new InvalidInputError('userId is required with scope=user');
    const conversation = await this.#storage.conversations.find(owner, conversationId);
    if (conversation === undefined) throw new NotFoundError('conversation', conversationId);
    if (userId !== undefined && userId !== conversation.userId) {
      throw new InvalidInputError('userId must be the user of the conversation');
    }
    return (scope ?? this.scope) === 'user'
      ? { scope: 'user', userId: conversation.userId }
      : { scope: 'conversation', conversationId };
  }

  #keyOf({ conversationId, userId }: NotesCall): WorkingMemoryKey {
    if (this.scope === 'conversation' && conversationId !== undefined) return { scope: this.scope, conversationId };
    if (this.scope === 'user' && userId !== undefined) return { scope: this.scope, userId };
    throw new InvalidInputError(`Working memory needs a ${this.scope === 'user' ? 'userId' : 'conversationId'}`);
  }
}

function notOwned(key: WorkingMemoryKey): Error {
  return key.scope === 'user'
    ? new InvalidInputError('userId must be that of the caller')
    : new NotFoundError('conversation', key.conversationId);
}
