import type { ScriptedReply } from '../../../../packages/core/src/testing/index.ts';
import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import { newStep, type PlainPart } from './plain-conversation.ts';

/** A scripted answer of a model, and the expected message. */
export interface RandomReply {
  readonly turns: readonly ScriptedReply[];
  readonly parts: readonly PlainPart[];
  readonly end: 'completes' | 'waits' | 'fails' | 'disconnects';
}

/** Whether the run of the answer does not end by itself. */
export function isCut({ end }: RandomReply): boolean {
  return end === 'fails' || end === 'disconnects';
}

/** The last delta before the client disconnects. */
export const lastDelta = 'of ';

/**
 * @param used ids of the calls that the answer has already: a call with the same id gets another
 * one.
 */
export function randomReply(
  random: Random,
  streaming: boolean,
  nextId: (index: number) => string,
  used: readonly string[] = [],
): RandomReply {
  const ids = new Set(used);
  const unique = (id: string): string => {
    let unused = id;
    for (let number = 2; ids.has(unused); number += 1) unused = `${id}_${number}`;
    ids.add(unused);
    return unused;
  };
  const turns: ScriptedReply[] = [];
  const parts: PlainPart[] = [];
  for (let steps = random.below(3); steps > 0; steps -= 1) {
    const id = nextId(0);
    const text = random.chance(0.5) ? `s${random.below(100)}` : undefined;
    turns.push({ toolCalls: [{ toolName: 'look', toolCallId: id, input: {} }], ...(text !== undefined && { text }) });
    parts.push(newStep, ...(text === undefined ? [] : [text]), {
      name: 'look',
      id: unique(id),
      state: 'output-available',
    });
  }
  parts.push(newStep);
  // Without streaming, text of an unfinished model call is not stored.
  const half = streaming ? ['Half of '] : [];
  const error = new RangeError('down');
  switch (random.below(8)) {
    case 0:
      return { turns: [...turns, { error }], parts, end: 'fails' };
    case 1: {
      const broken = { text: ['Half ', lastDelta], failAfterText: true, error };
      return { turns: [...turns, broken], parts: [...parts, ...half], end: 'fails' };
    }
    case 2:
      return {
        turns: [...turns, { text: ['Half ', lastDelta], hangs: true }],
        parts: [...parts, ...half],
        end: 'disconnects',
      };
    case 3:
    case 4: {
      const calls = Array.from({ length: random.between(1, 3) }, (_, index) => ({
        toolName: random.pick(['pay', 'pay', 'locate', 'look']),
        toolCallId: nextId(index),
        input: {},
      }));
      const waits = calls.some(({ toolName }) => toolName !== 'look');
      const asked = calls.map(({ toolCallId, toolName }) => ({
        name: toolName,
        id: unique(toolCallId),
        state: states[toolName] ?? '',
      }));
      if (waits) return { turns: [...turns, { toolCalls: calls }], parts: [...parts, ...asked], end: 'waits' };
      return {
        turns: [...turns, { toolCalls: calls }, 'End.'],
        parts: [...parts, ...asked, newStep, 'End.'],
        end: 'completes',
      };
    }
    default: {
      const text = `a${random.below(1000)}`;
      return { turns: [...turns, text], parts: [...parts, text], end: 'completes' };
    }
  }
}

const states: Readonly<Record<string, string>> = {
  pay: 'approval-requested',
  locate: 'input-available',
  look: 'output-available',
};
