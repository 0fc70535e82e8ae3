import { Agent, createTool, type LanguageModel } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { addNote, deleteNotes, listNotes } from './notes.ts';

const getTime = createTool({
  name: 'getTime',
  description: 'The time in a time zone',
  input: Type.Object({ timeZone: Type.String({ description: 'An IANA name, such as Asia/Tokyo' }) }),
  execute: ({ timeZone }) => ({ time: new Date().toLocaleTimeString('en', { timeZone, timeStyle: 'short' }) }),
});

export function createAssistant(model: LanguageModel): Agent {
  return new Agent({
    id: 'assistant',
    name: 'Assistant',
    description: 'Tells the time and keeps notes',
    suggestions: ['What time is it?', 'Note: buy oars', 'Delete all notes'],
    instructions: 'You help with small everyday things. Use your tools, and be brief.',
    model,
    tools: [getTime, addNote, listNotes, deleteNotes],
  });
}
