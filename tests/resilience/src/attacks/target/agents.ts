import { Agent, createTool, type Memory } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { payingAgents } from '../../../../../packages/server-fastify/src/testing/approvals.ts';
import type { PlantName } from './plants.ts';

/** The model of `puppet` does what the last message of the user says: a turn as JSON. */
const obey: ScriptedReply = ({ prompt }) => {
  if (prompt.at(-1)?.role === 'tool') return 'done';
  const texts = prompt.flatMap(({ content, role }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  try {
    const turn: unknown = JSON.parse(texts.at(-1) ?? '');
    return typeof turn === 'object' && turn !== null ? turn : String(turn);
  } catch {
    return 'I am a puppet.';
  }
};

/** The arguments that `record` accepts. */
const RecordInput = Type.Object(
  { count: Type.Integer({ minimum: 0, maximum: 10 }), name: Type.String({ maxLength: 5 }) },
  { additionalProperties: false },
);

/** Returns its arguments, so that a client sees which ones were executed. */
const record = (plant: PlantName | undefined) =>
  createTool({
    name: 'record',
    description: 'Returns its arguments',
    input: plant === 'unchecked-arguments' ? Type.Object({}) : RecordInput,
    execute: (input) => ({ executed: input }),
  });

const fail = createTool({
  name: 'fail',
  description: 'Throws',
  input: Type.Object({}),
  execute: () => {
    throw new RangeError('it failed', { cause: new Error('password=hunter2') });
  },
});

const mirror = createTool({
  name: 'mirror',
  description: 'Returns its caller',
  input: Type.Object({}),
  execute: (_, { user, userId }) => ({ user: user?.sub ?? null, userId: userId ?? null }),
});

/** The marks of Ada's data, and of those of others. */
const markers = /roses-of-ada|tea-of-\w+/g;

/** Returns the markers in its prompt, which contains what it remembers. */
const parrotOf = (memory: Memory): Agent =>
  new Agent({
    id: 'parrot',
    model: scriptedModel(({ prompt }) =>
      JSON.stringify({ texts: [...new Set(JSON.stringify(prompt).match(markers))] }),
    ),
    tools: [mirror],
    memory,
  });

/** `plain` and `parrot` remember conversations; `puppet` and `reader` do not. */
export function agentsOf(memory: Memory, plant: PlantName | undefined): readonly Agent[] {
  const plain = new Agent({
    id: 'plain',
    name: 'Plain',
    description: 'Answers',
    model: scriptedModel('Hello there.'),
    memory,
  });
  const puppet = new Agent({
    id: 'puppet',
    model: scriptedModel(obey),
    tools: [record(plant), fail],
    subAgents: [plain],
    memory: false,
  });
  const reader = new Agent({
    id: 'reader',
    description: 'Reads files',
    model: scriptedModel('I have read it.'),
    memory: false,
  });
  return [plain, parrotOf(memory), puppet, reader, ...payingAgents];
}
