import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema } from '../../schema/compile-schema.ts';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import type { AgentEvent } from '../agent-event.ts';
import { Agent } from '../agent.ts';
import { arrayOutput } from './array-output.ts';

const element = Type.Object({ city: Type.String(), celsius: Type.Number() });
const services = { logger: silentLogger };
const oslo = { city: 'Oslo', celsius: -4 };
const rome = { city: 'Rome', celsius: 18 };
const answer = JSON.stringify({ elements: [oslo, rome] });

describe('a list of objects', () => {
  it('is asked for as an object with a list, and returned as the list', async () => {
    const model = scriptedModel(answer);

    const { object } = await new Agent({ id: 'a', model }).generateObject('Weather?', {
      output: 'array',
      element,
      minItems: 1,
      maxItems: 3,
      schemaName: 'weather',
      schemaDescription: 'The weather in cities',
    });

    expect(object).toEqual([oslo, rome]);
    expect(model.calls[0]?.responseFormat).toEqual({
      type: 'json',
      name: 'weather',
      description: 'The weather in cities',
      schema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: {
          elements: {
            type: 'array',
            items: {
              type: 'object',
              required: ['city', 'celsius'],
              properties: { city: { type: 'string' }, celsius: { type: 'number' } },
              additionalProperties: false,
            },
            minItems: 1,
            maxItems: 3,
          },
        },
        required: ['elements'],
        additionalProperties: false,
      },
    });
  });

  it('has the definitions that its elements refer to at the root of the schema', async () => {
    const model = scriptedModel('{"elements":["N"]}');
    const direction = { $ref: '#/definitions/direction', definitions: { direction: { enum: ['N', 'S'] } } };

    const { object } = await new Agent({ id: 'a', model }).generateObject('Where?', {
      output: 'array',
      element: direction,
    });

    expect(object).toEqual(['N']);
    expect(model.calls[0]?.responseFormat).toMatchObject({
      schema: {
        definitions: { direction: { enum: ['N', 'S'] } },
        properties: { elements: { items: { $ref: '#/definitions/direction' } } },
      },
    });
  });

  it('is the output of a Standard Schema, element by element', async () => {
    const agent = new Agent({ id: 'a', model: scriptedModel('{"elements":[{"at":"7"},{"at":"8"}]}') });
    const options = { output: 'array', element: z.object({ at: z.string().transform(Number) }) } as const;

    expect((await agent.generateObject('When?', options)).object).toEqual([{ at: 7 }, { at: 8 }]);
  });

  it.each([
    ['{"elements":[{"city":"Oslo","celsius":"cold"}]}', 'object/elements/0/celsius must be number'],
    ['[]', 'object must be an object with the list "elements"'],
    ['{"elements":[]}', 'object/elements must have at least 1 element'],
    [JSON.stringify({ elements: [oslo, rome, oslo] }), 'object/elements must have at most 2 elements'],
  ])('is asked for again after the answer %s', async (unfit, complaint) => {
    const model = scriptedModel(unfit, answer);

    const { object } = await new Agent({ id: 'a', model }).generateObject('Weather?', {
      output: 'array',
      element,
      minItems: 1,
      maxItems: 2,
    });

    expect(object).toEqual([oslo, rome]);
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ content: [{ text: expect.stringContaining(complaint) }] });
  });

  it.each([
    [{ minItems: -1 }, '`minItems` must be an integer from 0 on'],
    [{ maxItems: 1.5 }, '`maxItems` must be an integer from 0 on'],
    [{ minItems: 3, maxItems: 2 }, '`minItems` must not be greater than `maxItems`'],
  ])('refuses the limits %o', async (limits, message) => {
    const agent = new Agent({ id: 'a', model: scriptedModel(answer) });

    await expect(agent.generateObject('Weather?', { output: 'array', element, ...limits })).rejects.toThrow(message);
  });
});

describe('a streamed list', () => {
  const streamed = (...answers: Parameters<typeof scriptedModel>) =>
    new Agent({ id: 'a', model: scriptedModel(...answers) }).streamObject('Weather?', {
      output: 'array',
      element,
      services,
    });

  it('emits each element when it is complete, then the whole list', async () => {
    const stream = await streamed({
      text: ['{"elem', 'ents":[{"city":"Oslo","celsius":', '-4}', ',', '{"city":"Rome","celsius":18}]', '}'],
      pieceDelayMs: 1,
    });

    expect(await collectEvents(stream)).toEqual([
      { type: 'element', index: 0, element: oslo },
      { type: 'element', index: 1, element: rome },
      { type: 'object', object: [oslo, rome], usage: expect.objectContaining({ totalTokens: 15 }) },
    ]);
    expect(await stream.result).toMatchObject({ object: [oslo, rome], finishReason: 'stop' });
  });

  it('emits an element before the next one is written', async () => {
    const stream = await streamed({ text: '{"elements":[{"city":"Oslo","celsius":-4},', hangs: true });

    for await (const event of stream) {
      expect(event).toEqual({ type: 'element', index: 0, element: oslo });
      break;
    }

    await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('emits an element again only if the corrected answer changes it', async () => {
    const bergen = { city: 'Bergen', celsius: 3 };
    const stream = await streamed(
      '{"elements":[{"city":"Oslo","celsius":-4},{"city":"Rome","celsius":0},{"city":1},{"city":"Bergen","celsius":3}]}',
      JSON.stringify({ elements: [oslo, rome, bergen] }),
    );

    expect(await collectEvents(stream)).toEqual([
      { type: 'element', index: 0, element: oslo },
      { type: 'element', index: 1, element: { city: 'Rome', celsius: 0 } },
      { type: 'element', index: 1, element: rome },
      { type: 'element', index: 2, element: bergen },
      { type: 'object', object: [oslo, rome, bergen], usage: expect.objectContaining({ totalTokens: 30 }) },
    ]);
  });

  it('ends with an error event for an answer that does not fit', async () => {
    const stream = await streamed('Sorry.');

    expect(await collectEvents(stream)).toEqual([
      { type: 'error', error: 'Agent "a" did not produce an object that fits the schema' },
    ]);
    await expect(stream.result).rejects.toMatchObject({ code: 'OBJECT_NOT_GENERATED' });
  });
});

describe('the elements of an answer', () => {
  const output = arrayOutput(compileSchema(Type.Number(), 'an element'), { maxItems: 3 });

  /** The indices and elements in texts; each text is a reply of its own. */
  async function elementsOf(...answers: readonly (string | readonly AgentEvent[])[]): Promise<readonly unknown[]> {
    async function* batches(): AsyncGenerator<readonly AgentEvent[]> {
      for (const given of answers)
        yield typeof given === 'string'
          ? [{ type: 'start-step' }, { type: 'text-delta', id: 't', delta: given }]
          : given;
    }
    return (await collectEvents(output.partials(batches()))).map(({ element: value, index, type }) => {
      expect(type).toBe('element');
      return [index, value];
    });
  }

  it('are no more than the list may have', async () => {
    expect(await elementsOf('{"elements":[1,2,3,4,5]}')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it.each(['{"elements":[1,"two",3]}', '{"elements":[1,2 2,3]}'])('end at one that does not fit: %s', async (text) => {
    expect(await elementsOf(text)).toEqual([[0, 1]]);
  });

  it('are emitted again in a second answer only where they differ', async () => {
    expect(await elementsOf('{"elements":[1,2,"x"]}', '{"elements":[1,3,4]}')).toEqual([
      [0, 1],
      [1, 2],
      [1, 3],
      [2, 4],
    ]);
  });

  it('are not those of a sub-agent or of the reasoning', async () => {
    const text = '{"elements":[1,2]}';
    const written = { type: 'text-delta', id: 't', delta: text, agentId: 'worker', agentPath: [] } as AgentEvent;
    const step = { type: 'start-step', agentId: 'worker', agentPath: [] } as AgentEvent;
    const reasoning = { type: 'reasoning-delta', id: 'r', delta: text } as AgentEvent;
    const half = (delta: string) => ({ type: 'text-delta', id: 't', delta }) as const;
    expect(await elementsOf([written, reasoning], [half('{"elements":[1,'), step, half('2]}')])).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });
});
