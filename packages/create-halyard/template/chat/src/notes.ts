import { createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** The notes of each user, until the process ends. Use your own database here. */
const notes = new Map<string, string[]>();
const notesOf = (userId = 'anyone'): string[] => notes.get(userId) ?? [];

export const addNote = createTool({
  name: 'addNote',
  description: 'Writes a note down',
  input: Type.Object({ text: Type.String({ minLength: 1 }) }),
  execute: ({ text }, { userId = 'anyone' }) => {
    notes.set(userId, [...notesOf(userId), text]);
    return { added: text };
  },
});

export const listNotes = createTool({
  name: 'listNotes',
  description: 'Lists all notes',
  input: Type.Object({}),
  execute: (_input, { userId }) => ({ notes: notesOf(userId) }),
});

/** A person must approve each call before it runs. */
export const deleteNotes = createTool({
  name: 'deleteNotes',
  description: 'Deletes all notes',
  input: Type.Object({}),
  needsApproval: true,
  execute: (_input, { userId = 'anyone' }) => {
    const deleted = notesOf(userId).length;
    notes.delete(userId);
    return { deleted };
  },
});
