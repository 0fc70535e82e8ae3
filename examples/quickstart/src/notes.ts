import type { JsonObject, JsonValue, WorkingMemoryStore } from '@halyard/contracts';
import { createTool, type Tool } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** Who has the notes of a request that does not say whom it is for. */
const nobody = 'nobody';

/** Tools that keep the notes of each user, in the storage: they outlive the process. */
export function createNoteTools(workingMemory: WorkingMemoryStore): readonly Tool[] {
  const keyOf = (userId = nobody): Parameters<WorkingMemoryStore['read']> => ['anyone', { scope: 'user', userId }];

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

  /** A person has to agree before anything is deleted. */
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
