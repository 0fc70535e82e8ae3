/**
 * The file of a thread that compiles schemas of clients and validates values. A thread, because it
 * can be ended whatever it does.
 */
import { parentPort } from 'node:worker_threads';
import { isHalyardError } from '@halyard/contracts';
import { compileUntrustedSchema } from './compile-untrusted-schema.ts';

export interface SchemaTask {
  /** The JSON text of the schema. */
  readonly schema: string;
  /** The value to validate, as JSON text, and its place. Absent: the schema is only compiled. */
  readonly validate?: { readonly json: string; readonly at: string };
}

/** `refused`: the schema cannot be used, or not for this value. */
export interface SchemaReply {
  readonly result: 'fits' | 'unfit' | 'refused';
  /** Absent if it fits. */
  readonly message?: string;
}

/** Sent before the first reply. */
export type ThreadMessage = 'ready' | SchemaReply;

// Compiles the meta-schema, which takes as long as many schemas.
compileUntrustedSchema('{"type":"object"}');
send('ready');
parentPort?.on('message', (task: SchemaTask) => send(check(task)));

function check({ schema, validate }: SchemaTask): SchemaReply {
  try {
    const compiled = compileUntrustedSchema(schema);
    if (validate === undefined) return { result: 'fits' };
    const checked = compiled(JSON.parse(validate.json), validate.at);
    return checked.ok ? { result: 'fits' } : { result: 'unfit', message: checked.message };
  } catch (error) {
    // Any other error ends the thread.
    if (!isHalyardError(error)) throw error;
    return { result: 'refused', message: error.message };
  }
}

function send(message: ThreadMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
}
