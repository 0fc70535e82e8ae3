import type { JsonObject, JsonValue, Owner } from '@halyard/contracts';
import type { Schema } from '../../schema/schema.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { Tool, ToolContext } from '../../tool/tool.ts';
import { runOwner } from '../run-owner.ts';

const readToolName = 'getWorkingMemory';
export const writeToolName = 'updateWorkingMemory';

/** The run that calls a tool. */
export interface WorkingMemoryToolCall {
  readonly owner: Owner;
  readonly conversationId: string | undefined;
  readonly userId: string | undefined;
}

export interface WorkingMemoryToolOptions {
  readonly input: Schema;
  readonly format: 'markdown' | 'json';
  readonly read: (call: WorkingMemoryToolCall) => Promise<JsonValue>;
  readonly write: (call: WorkingMemoryToolCall, input: unknown) => Promise<JsonObject>;
}

/**
 * The tools by which a model reads and writes its working memory. Each call names the owner, so one
 * pair serves all runs.
 */
export function workingMemoryTools({ input, format, read, write }: WorkingMemoryToolOptions): readonly [Tool, Tool] {
  const how =
    format === 'json'
      ? 'Give the fields that change; others stay as they are. ' +
        'null removes a field. A list replaces the noted one; { add, remove } changes single items of it. ' +
        'Where you must give every field, repeat what stays as it is'
      : 'In markdown';
  return [
    createTool({
      name: readToolName,
      description: 'Reads your working memory: the notes that you keep.',
      tags: ['memory'],
      input: { type: 'object', properties: {}, additionalProperties: false },
      execute: async (_input, context) => ({ content: await read(toCall(context)) }),
    }),
    createTool({
      name: writeToolName,
      description: `Writes your working memory: the notes that you keep. ${how}.`,
      tags: ['memory'],
      input,
      execute: async (given, context) => write(toCall(context), given),
    }),
  ];
}

function toCall({ user, userId, conversationId }: ToolContext): WorkingMemoryToolCall {
  const owner = runOwner(user);
  return { owner, conversationId, userId: owner === 'anyone' ? userId : owner.user };
}
