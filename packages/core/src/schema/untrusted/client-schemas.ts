import { hash } from 'node:crypto';
import { InvalidInputError, UnavailableError } from '@halyard/contracts';
import { LRUCache } from 'lru-cache';
import type { CompiledSchema, ValidationResult } from '../compile-schema.ts';
import type { JsonSchema } from '../schema.ts';
import { toPlainSchema, toSchemaText } from './check-untrusted-schema.ts';
import type { SchemaReply, SchemaTask } from './schema-thread.ts';
import type { SchemaThreads } from './schema-threads.ts';

export interface ClientSchemasOptions {
  /** How long compiling, and then each validation, may take. Default 1 s. */
  readonly timeLimitMs?: number | undefined;
  /** How much memory a thread may use. Default 128 MB. */
  readonly memoryLimitMb?: number | undefined;
  /** How long a thread without work exists. Default 30 s. */
  readonly idleMs?: number | undefined;
}

export interface SchemaSender {
  /** The key of the caller: each uses one thread at a time. */
  readonly caller: string;
  /** Ends waiting validations. */
  readonly signal?: AbortSignal | undefined;
}

/** A compiled schema of a client. */
export interface ClientSchema extends CompiledSchema<unknown> {
  /**
   * Like {@link CompiledSchema.validate}, but in a thread, and without inserting defaults.
   *
   * @throws InvalidInputError when validating this value exceeds a limit; from then on for every
   * value.
   */
  validate(value: unknown, at: string): Promise<ValidationResult<unknown>>;
}

/**
 * Compiles JSON Schemas that clients send, and validates with them, in threads: a hostile schema
 * delays nobody else, and is ended at a limit of time or memory. The threads start on first use.
 */
export class ClientSchemas {
  readonly #options: ClientSchemasOptions;
  /**
   * Schemas that were compiled, by the hash of their text: at most 256, with 1 Mi characters in
   * all.
   */
  readonly #accepted = new LRUCache<string, JsonSchema>({ max: 256, maxSize: 1024 * 1024 });
  /** By hash and caller. */
  readonly #compiling = new Map<string, Promise<JsonSchema>>();
  #threads: Promise<SchemaThreads> | undefined;
  #isClosed = false;

  constructor(options: ClientSchemasOptions = {}) {
    this.#options = options;
  }

  /**
   * Compiles a schema sent by a client (`body/schema`) as `compile-untrusted-schema.ts` describes.
   * It is limited to 64 KiB.
   *
   * @throws InvalidInputError that names the place of the fault, UnavailableError after
   * {@link close}.
   */
  async compile(schema: unknown, sender: SchemaSender): Promise<ClientSchema> {
    const text = toSchemaText(schema);
    const key = hash('sha256', text, 'base64');
    const jsonSchema = this.#accepted.get(key) ?? (await this.#compileOnce(text, key, sender.caller));
    let refusal: InvalidInputError | undefined;
    return {
      jsonSchema,
      isClosed: false,
      validate: async (value, at) => {
        if (refusal !== undefined) throw refusal;
        const json = toJsonText(value);
        if (json === undefined) return { ok: false, message: `${at} must be plain JSON` };
        try {
          const { message, result } = await this.#run({ schema: text, validate: { json, at } }, sender);
          return result === 'fits' ? { ok: true, value } : { ok: false, message: message ?? `${at} is invalid` };
        } catch (error) {
          if (!(error instanceof InvalidInputError)) throw error;
          refusal = error;
          this.#accepted.delete(key);
          throw error;
        }
      },
    };
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#threads)?.close();
  }

  /** A caller that sends a schema several times at once waits for one compilation. */
  #compileOnce(text: string, key: string, caller: string): Promise<JsonSchema> {
    const id = `${key} ${caller}`;
    const known = this.#compiling.get(id);
    if (known !== undefined) return known;
    const compiling = this.#compile(text, caller)
      .then((jsonSchema) => {
        this.#accepted.set(key, jsonSchema, { size: text.length });
        return jsonSchema;
      })
      .finally(() => this.#compiling.delete(id));
    this.#compiling.set(id, compiling);
    return compiling;
  }

  async #compile(text: string, caller: string): Promise<JsonSchema> {
    await this.#run({ schema: text }, { caller });
    return toPlainSchema(text);
  }

  /** @throws InvalidInputError for a schema that is refused. */
  async #run(task: SchemaTask, sender: SchemaSender): Promise<SchemaReply> {
    if (this.#isClosed) throw new UnavailableError('SHUTTING_DOWN', 'The server is shutting down');
    const threads = await (this.#threads ??= this.#loadThreads());
    const reply = await threads.run(task, sender);
    if (reply.result === 'refused') throw new InvalidInputError(reply.message ?? '');
    return reply;
  }

  async #loadThreads(): Promise<SchemaThreads> {
    const { idleMs = 30_000, memoryLimitMb = 128, timeLimitMs = 1_000 } = this.#options;
    const { SchemaThreads } = await import('./schema-threads.ts');
    return new SchemaThreads({ timeLimitMs, memoryLimitMb, idleMs });
  }
}

/** Undefined for a value that is not JSON, or nested too deeply. */
function toJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
