import { createTool } from '@halyard/core';
import { Type } from '@sinclair/typebox';

/** Notes of this process: what the tools below read and change. */
const notes: { readonly id: number; readonly text: string }[] = [];
let lastId = 0;

export const addNote = createTool({
  name: 'addNote',
  description: 'Write down a note, a reminder or something to remember',
  input: Type.Object({ text: Type.String({ minLength: 1, description: 'What to write down' }) }),
  execute: ({ text }) => {
    lastId += 1;
    const note = { id: lastId, text };
    notes.push(note);
    return note;
  },
});

export const listNotes = createTool({
  name: 'listNotes',
  description: 'List, show or read all the notes written so far',
  input: Type.Object({}),
  execute: () => ({ count: notes.length, notes: [...notes] }),
});

/** A person has to agree before anything is deleted. */
export const deleteNotes = createTool({
  name: 'deleteNotes',
  description: 'Delete, erase or clear all notes',
  input: Type.Object({}),
  needsApproval: true,
  execute: () => ({ deleted: notes.splice(0).length }),
});
