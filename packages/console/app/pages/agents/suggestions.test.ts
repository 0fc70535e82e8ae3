import { describe, expect, it } from 'vitest';
import type { ToolSummary } from '../tools/tools-query.ts';
import { suggestionsOf, toQuestion } from './suggestions.ts';

const text = (description = ''): object => ({ type: 'string', description });
const input = (properties: Record<string, object>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const question = (name: string, description: string, properties: Record<string, object> = {}): string =>
  toQuestion({ name, description, inputSchema: input(properties) });

describe('a question made from a tool', () => {
  it.each([
    [
      'getTime',
      'The time in a time zone',
      { timeZone: text('An IANA name, such as Asia/Tokyo') },
      'Tell me the time in Asia/Tokyo',
    ],
    [
      'getTime',
      'Current local time in a city',
      { city: text('A city, such as New York or Paris') },
      'Tell me the current local time in New York',
    ],
    [
      'findOrder',
      'Finds an order of the customer: item and price',
      { orderId: text('such as K-17') },
      'Find order K-17 of the customer',
    ],
    ['addNote', 'Writes a note down', { text: text() }, 'Write a note down'],
    ['searchHelp', 'Searches the help articles.', {}, 'Search the help articles'],
    ['convertUnits', 'Convert a value from one unit to another', {}, 'Convert a value from one unit to another'],
    ['listNotes', 'List, show or read all the notes', {}, 'List, show or read all the notes'],
    ['listRefunds', 'Refunds of the last week', {}, 'Tell me the refunds of the last week'],
    ['deleteNotes', 'Deletes notes', {}, 'Delete notes'],
    ['track_parcel', '', {}, 'Track parcel'],
    ['lookUp', 'Use this tool to look up a customer', {}, 'Look up a customer'],
    [
      'rate',
      'Gets the rate of a currency',
      { currency: { type: 'string', enum: ['EUR', 'USD'] } },
      'Get the rate of EUR',
    ],
  ] as const)('%s: %s', (name, description, properties, expected) => {
    expect(question(name, description, properties)).toBe(expected);
  });

  it('puts an example with special characters in as it is', () => {
    expect(question('pay', 'Pays a price', { price: { default: '$& 5' } })).toBe('Pay $& 5');
  });

  it('uses the name where the description is too long', () => {
    expect(question('findOrder', `Finds ${'every '.repeat(40)}order`)).toBe('Find order');
  });
});

const tool = (name: string, agentId: string, more: Partial<ToolSummary> = {}): ToolSummary => ({
  name,
  description: '',
  inputSchema: {},
  outputSchema: null,
  needsApproval: false,
  tags: [],
  agents: [{ id: agentId, name: agentId }],
  ...more,
});

describe('the suggestions of an agent', () => {
  const agent = { id: 'desk', suggestions: [], subAgents: [] };

  it('are its own', () => {
    expect(suggestionsOf({ ...agent, suggestions: ['Where is K-17?'] }, [tool('find', 'desk')])).toEqual([
      { text: 'Where is K-17?', needsApproval: false },
    ]);
  });

  it('are made from the tools that it reaches, those with examples first and one approval last', () => {
    const subAgents = [{ id: 'returns' }] as Parameters<typeof suggestionsOf>[0]['subAgents'];
    const made = suggestionsOf({ ...agent, subAgents }, [
      tool('deleteAll', 'desk', { needsApproval: true }),
      tool('askPage', 'desk', { clientSide: true }),
      tool('foreign', 'other'),
      tool('addNote', 'desk', { inputSchema: input({ text: text() }) }),
      tool('listNotes', 'returns'),
      tool('deleteMore', 'desk', { needsApproval: true }),
    ]);
    expect(made.map((each) => each.text)).toEqual(['List notes', 'Add note', 'Delete all']);
    expect(made.map(({ needsApproval }) => needsApproval)).toEqual([false, false, true]);
  });

  it('are a general question without tools', () => {
    expect(suggestionsOf(agent, [])).toEqual([{ text: 'What can you do?', needsApproval: false }]);
  });
});
