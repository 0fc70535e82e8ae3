import type { JsonValue, Owner } from '@halyard/contracts';
import type { JsonSchema } from '../schema/schema.ts';
import { createTool } from '../tool/create-tool.ts';
import type { Tool, ToolContext } from '../tool/tool.ts';
import { runOwner } from './run-owner.ts';

const readToolName = 'getWorkingMemory';
export const writeToolName = 'updateWorkingMemory';

/** What a tool knows of the run that it works in. */
export interface NotesCall {
  readonly owner: Owner;
  readonly conversationId: string | undefined;
  readonly userId: string | undefined;
}

export interface WorkingMemoryToolOptions {
  readonly input: JsonSchema;
  readonly format: 'markdown' | 'json';
  readonly read: (call: NotesCall) => Promise<JsonValue>;
  readonly write: (call: NotesCall, input: unknown) => Promise<void>;
}

/** The tools by which a model reads and keeps its notes. Whose notes they are comes with each call: one pair serves all runs. */
export function workingMemoryTools({ input, format, read, write }: WorkingMemoryToolOptions): readonly [Tool, Tool] {
  const how =
    format === 'json' ? 'Give only the fields that change; they are merged into what is noted' : 'In markdown';
  return [
    createTool({
      name: readToolName,
      description: 'Reads your working memory: the notes that you keep.',
      tags: ['memory'],
      input: { type: 'object', properties: {}, additionalProperties: false },
      execute: async (_input, context) => ({ content: await read(callOf(context)) }),
    }),
    createTool({
      name: writeToolName,
      description: `Writes your working memory: the notes that you keep. ${how}.`,
      tags: ['memory'],
      input,
      execute: async (given, context) => {
        await write(callOf(context), given);
        return { updated: true };
      },
    }),
  ];
}

function callOf({ user, userId, conversationId }: ToolContext): NotesCall {
  const owner = runOwner(user);
  return { owner, conversationId, userId: owner === 'anyone' ? userId : owner.user };
}
