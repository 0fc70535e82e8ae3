import type { JsonObject, JsonValue, WorkingMemoryStore } from '@halyard/contracts';
import { createTool, type Tool } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** The owner of notes from requests without a user id. */
const anonymous = 'anonymous';

/** Tools that store the notes of each user in the storage, so that they survive a restart. */
export function createNoteTools(workingMemory: WorkingMemoryStore): readonly Tool[] {
  const keyOf = (userId = anonymous): Parameters<WorkingMemoryStore['read']> => ['anyone', { scope: 'user', userId }];

  const addNote = createTool({
    name: 'addNote',
    description: 'Write down a note, a reminder or something to remember',
    input: Type.Object({ text: Type.String({ minLength: 1, description: 'What to write down' }) }),
    execute: async ({ text }, { userId }) => {
      let id = 0;
      await workingMemory.update(...keyOf(userId), (content) => {
        const { lastId, notes } = notebook(content);
        id = lastId + 1;
        return { lastId: id, notes: [...notes, { id, text }] };
      });
      return { id, text };
    },
  });

  const listNotes = createTool({
    name: 'listNotes',
    description: 'List, show or read all the notes written so far',
    input: Type.Object({}),
    execute: async (_input, { userId }) => {
      const { notes } = notebook(await workingMemory.read(...keyOf(userId)));
      return { count: notes.length, notes };
    },
  });

  /** Deleting needs a person's approval. */
  const deleteNotes = createTool({
    name: 'deleteNotes',
    description: 'Delete, erase or clear all notes',
    input: Type.Object({}),
    needsApproval: true,
    execute: async (_input, { userId }) => {
      let deleted = 0;
      await workingMemory.update(...keyOf(userId), (content) => {
        const { lastId, notes } = notebook(content);
        deleted = notes.length;
        return { lastId, notes: [] };
      });
      return { deleted };
    },
  });

  return [addNote, listNotes, deleteNotes];
}

function notebook(content: JsonValue | undefined): { readonly lastId: number; readonly notes: readonly JsonObject[] } {
  const { lastId, notes } = isObject(content) ? content : {};
  return { lastId: typeof lastId === 'number' ? lastId : 0, notes: Array.isArray(notes) ? notes.filter(isObject) : [] };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
