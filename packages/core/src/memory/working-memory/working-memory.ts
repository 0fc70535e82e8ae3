import { isDeepStrictEqual } from 'node:util';
import {
  ConflictError,
  InvalidInputError,
  type JsonObject,
  type JsonValue,
  NotFoundError,
  type Owner,
  type Storage,
  type WorkingMemoryKey,
} from '@halyard/contracts';
import { checkSize } from '../../json/json-bytes.ts';
import type { PromptMessage } from '../../model/providers/model-port.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import type { Tool } from '../../tool/tool.ts';
import type { WorkingMemoryOptions, WorkingMemoryScope } from '../memory-options.ts';
import type { ContentFormat } from './content-format.ts';
import { schemaFormat } from './schema-format.ts';
import { textFormat } from './text-format.ts';
import { workingMemoryInstructions, workingMemoryNotes } from './working-memory-instructions.ts';
import { workingMemoryTools, type WorkingMemoryToolCall } from './working-memory-tools.ts';

/** Which working memory is read or written. */
export interface WorkingMemoryPlace {
  readonly conversationId: string;
  /**
   * Default: the scope of the memory, for the user of the conversation. `user` needs a `userId`.
   */
  readonly scope?: WorkingMemoryScope;
  /** Must be the user of the conversation. */
  readonly userId?: string;
}

export interface WorkingMemoryWrite extends WorkingMemoryPlace {
  /** A string; an object, or the JSON text of one, for a memory with a schema. */
  readonly content: JsonValue;
  /** `append` adds a text after a blank line, and merges an object into the stored one. */
  readonly mode: 'replace' | 'append';
  /**
   * Nothing is written unless the content that {@link WorkingMemory.read} returns still equals
   * this. Default: it is written in any case.
   */
  readonly expected?: JsonValue | undefined;
}

export interface WorkingMemoryContent {
  /** Null when nothing is stored yet. */
  readonly content: JsonValue;
  readonly scope: WorkingMemoryScope;
  readonly format: 'markdown' | 'json';
  readonly template: string | null;
  /** The JSON Schema of the content; null for a text. */
  readonly schema: JsonSchema | null;
}

type Change = (stored: JsonValue | undefined) => JsonValue;

/** The working memory of a run, for its model. */
export interface WorkingMemoryForRun {
  /** Follow the instructions of the agent. The same in every run. */
  readonly instructions: string;
  /** Come before the input of the run; undefined when nothing is stored. */
  readonly notes: PromptMessage | undefined;
  readonly tools: readonly Tool[];
}

/** The working memory of conversations or users: a text, or a JSON object that fits a schema. */
export class WorkingMemory {
  /**
   * Whether agents read and write it. Where they do not, clients still can: a text for each
   * conversation.
   */
  readonly isEnabled: boolean;
  readonly scope: WorkingMemoryScope;
  readonly #format: ContentFormat;
  readonly #storage: Pick<Storage, 'conversations' | 'workingMemory'>;
  /**
   * Reads, and writes. Compiling their schemas takes longer than everything else in a new memory,
   * so they exist only where agents use them.
   */
  readonly #tools: readonly Tool[];
  readonly #maxBytes: number;

  /** @throws ConfigurationError for a schema that cannot be used. */
  constructor(
    storage: Pick<Storage, 'conversations' | 'workingMemory'>,
    options: WorkingMemoryOptions | undefined,
    maxBytes: number,
  ) {
    this.#storage = storage;
    this.#maxBytes = maxBytes;
    this.isEnabled = options !== undefined;
    this.scope = options?.scope ?? 'conversation';
    this.#format = options?.schema === undefined ? textFormat(options?.template ?? null) : schemaFormat(options.schema);
    this.#tools = this.isEnabled
      ? workingMemoryTools({
          input: this.#format.toolInput,
          format: this.format,
          read: (call) => this.#read(call.owner, this.#toKey(call)),
          write: (call, input) => this.#writeFromTool(call, input),
        })
      : [];
  }

  get format(): 'markdown' | 'json' {
    return this.#format.name;
  }

  /**
   * The instructions and tools for a run in this conversation, which may be new; undefined where
   * agents have no working memory.
   *
   * The tools are the same in every run. They can only write to a stored conversation, so a run
   * writes its conversation before it runs a tool.
   */
  async forRun(
    owner: Owner,
    {
      conversationId,
      userId,
      readOnly,
    }: { readonly conversationId: string; readonly userId: string; readonly readOnly: boolean },
  ): Promise<WorkingMemoryForRun | undefined> {
    if (!this.isEnabled) return undefined;
    const { scope } = this;
    const { template } = this.#format;
    const content = await this.#read(owner, this.#toKey({ conversationId, userId }));
    return {
      instructions: workingMemoryInstructions({ template, scope, readOnly }),
      notes: workingMemoryNotes(content, scope),
      tools: readOnly ? this.#tools.slice(0, 1) : this.#tools,
    };
  }

  /**
   * @throws NotFoundError, InvalidInputError when `userId` is missing or is not the user of the
   * conversation.
   */
  async read(owner: Owner, place: WorkingMemoryPlace): Promise<WorkingMemoryContent> {
    const key = await this.#keyOfPlace(owner, place);
    const content = await this.#read(owner, key);
    return {
      content,
      scope: key.scope,
      format: this.format,
      template: this.#format.template,
      schema: this.#format.schema,
    };
  }

  /**
   * @throws NotFoundError, InvalidInputError naming the field of the content that does not fit, or
   * `VALUE_TOO_LARGE`, before or after an append; ConflictError (`WORKING_MEMORY_CHANGED`) when it
   * is not as expected.
   */
  async write(owner: Owner, { content, expected, mode, ...place }: WorkingMemoryWrite): Promise<void> {
    const key = await this.#keyOfPlace(owner, place);
    await this.#write(owner, key, { content, expected, mode, at: 'body/content' });
  }

  /** @returns the reply for the model. */
  async #writeFromTool({ owner, ...call }: WorkingMemoryToolCall, input: unknown): Promise<JsonObject> {
    const key = this.#toKey(call);
    let reply: JsonObject = {};
    const changeOf = async (stored: JsonValue | undefined): Promise<Change> => {
      const update = await this.#format.updateFromTool(stored, input, 'input');
      ({ reply } = update);
      return update.change;
    };
    if (!(await this.#change(owner, key, { changeOf, at: 'input' }))) throw notOwned(key);
    return reply;
  }

  async #write(
    owner: Owner,
    key: WorkingMemoryKey,
    {
      content,
      expected,
      mode,
      at,
    }: {
      readonly content: unknown;
      readonly expected?: JsonValue | undefined;
      readonly mode: 'replace' | 'append';
      readonly at: string;
    },
  ): Promise<void> {
    const given = this.#format.accept(content, at);
    const change: Change = (stored) => (mode === 'append' ? this.#format.append(stored, given) : given);
    if (!(await this.#change(owner, key, { changeOf: () => change, expected, at }))) throw notOwned(key);
  }

  /**
   * Applies a change to the stored content, if the result is valid. A schema may validate
   * asynchronously and a store changes content synchronously. So the content is validated first,
   * and written only if it is still the result of the change; otherwise both are repeated, with the
   * change for the new content.
   *
   * @returns whether it was written: not for the key of another owner.
   */
  async #change(
    owner: Owner,
    key: WorkingMemoryKey,
    {
      changeOf,
      expected,
      at,
    }: {
      readonly changeOf: (stored: JsonValue | undefined) => Change | Promise<Change>;
      readonly expected?: JsonValue | undefined;
      readonly at: string;
    },
  ): Promise<boolean> {
    const { workingMemory } = this.#storage;
    const isExpected = (stored: JsonValue | undefined): boolean =>
      expected === undefined || isDeepStrictEqual(this.#format.present(stored), expected);
    for (;;) {
      const before = await workingMemory.read(owner, key);
      if (!isExpected(before)) throw changedMeanwhile();
      const change = await changeOf(before);
      const next = change(before);
      const problem = await this.#format.validate(next, at);
      if (problem !== undefined) throw new InvalidInputError(problem);
      checkSize(next, this.#maxBytes, 'the working memory');

      let isCurrent = true;
      const isWritten = await workingMemory.update(owner, key, (stored) => {
        isCurrent = isExpected(stored) && JSON.stringify(change(stored)) === JSON.stringify(next);
        return isCurrent ? next : stored;
      });
      if (isCurrent) return isWritten;
    }
  }

  async #read(owner: Owner, key: WorkingMemoryKey): Promise<JsonValue> {
    return this.#format.present(await this.#storage.workingMemory.read(owner, key));
  }

  async #keyOfPlace(owner: Owner, { conversationId, scope, userId }: WorkingMemoryPlace): Promise<WorkingMemoryKey> {
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

  #toKey({ conversationId, userId }: Pick<WorkingMemoryToolCall, 'conversationId' | 'userId'>): WorkingMemoryKey {
    if (this.scope === 'conversation' && conversationId !== undefined) return { scope: this.scope, conversationId };
    if (this.scope === 'user' && userId !== undefined) return { scope: this.scope, userId };
    throw new InvalidInputError(`Working memory needs a ${this.scope === 'user' ? 'userId' : 'conversationId'}`);
  }
}

function changedMeanwhile(): Error {
  return new ConflictError('WORKING_MEMORY_CHANGED', 'The working memory has changed: read it again before you write');
}

function notOwned(key: WorkingMemoryKey): Error {
  return key.scope === 'user'
    ? new InvalidInputError('userId must be that of the caller')
    : new NotFoundError('conversation', key.conversationId);
}
