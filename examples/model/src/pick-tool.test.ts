import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { pickCalls } from './pick-tool.ts';
import { everydayTools, integer, text, tool } from './tools-for-tests.ts';

const today = new Date('2026-11-21T10:00:00Z');

describe('a message among many tools', () => {
  it.each<readonly [message: string, toolName: string, input: unknown]>([
    ["What's the weather in Paris?", 'getWeather', { city: 'Paris' }],
    ["What's the weather in Paris in fahrenheit?", 'getWeather', { city: 'Paris', unit: 'fahrenheit' }],
    ['weather in new york please', 'getWeather', { city: 'new york' }],
    ['weather paris', 'getWeather', { city: 'paris' }],
    ['is it raining in Berlin', 'getWeather', { city: 'Berlin' }],
    ['Do I need an umbrella in Rio de Janeiro?', 'getWeather', { city: 'Rio de Janeiro' }],
    ['What time is it in Tokyo?', 'getTime', { city: 'Tokyo' }],
    ['could you please tell me the time in san francisco?', 'getTime', { city: 'san francisco' }],
    ['Convert 26.2 miles to kilometres', 'convertUnits', { value: 26.2, from: 'miles', to: 'kilometres' }],
    ['convert 5kg to lb', 'convertUnits', { value: 5, from: 'kilograms', to: 'pounds' }],
    ['20 celsius in fahrenheit, convert it', 'convertUnits', { value: 20, from: 'celsius', to: 'fahrenheit' }],
    ['convert 1,200.50 USD to EUR', 'convertCurrency', { amount: 1200.5, from: 'USD', to: 'EUR' }],
    ['what is 3 + 4 * 2?', 'calculate', { expression: '3 + 4 * 2' }],
    ['12 times 7', 'calculate', { expression: '12 * 7' }],
    ['Note: buy oars', 'addNote', { text: 'buy oars' }],
    ['remind me to call mum', 'addNote', { text: 'call mum' }],
    ['note that the gate code is 4711', 'addNote', { text: 'the gate code is 4711' }],
    ['what are my notes?', 'listNotes', {}],
    ['Delete all notes', 'deleteNotes', {}],
    ['search the docs for how to resume a workflow', 'searchDocs', { query: 'how to resume a workflow' }],
    ['what does the documentation say about approvals? limit=3', 'searchDocs', { query: 'approvals', limit: 3 }],
    ['find red shoes in the shop under $50', 'searchProducts', { query: 'red shoes', maxPrice: 50 }],
    [
      'order groceries: 2 apples, 3 pears and one melon',
      'placeOrder',
      {
        items: [
          { name: 'apples', quantity: 2 },
          { name: 'pears', quantity: 3 },
          { name: 'melon', quantity: 1 },
        ],
      },
    ],
    ['what is the status of order ORD-77?', 'getOrder', { orderId: 'ORD-77' }],
    ['refund order A-1001 for 20 euros', 'refundOrder', { orderId: 'A-1001', amount: 20 }],
    [
      'Send an email to bob@example.com about the launch saying see you at noon',
      'sendEmail',
      { to: 'bob@example.com', subject: 'launch', body: 'see you at noon' },
    ],
    ['Book a table for 4 people tomorrow at 7pm', 'bookTable', { partySize: 4, date: '2026-11-22', time: '19:00' }],
    [
      'Schedule a meeting with Ada and Bob on Friday at 10:00 for half an hour',
      'createEvent',
      {
        title: 'Schedule a meeting',
        attendees: ['Ada', 'Bob'],
        start: '2026-11-27T10:00:00.000Z',
        durationMinutes: 30,
      },
    ],
    [
      'Flights from Berlin to Lisbon on May 5 for two adults in business',
      'searchFlights',
      { origin: 'Berlin', destination: 'Lisbon', date: '2027-05-05', adults: 2, cabin: 'business' },
    ],
    ["Translate 'good morning' to French", 'translate', { text: 'good morning', targetLanguage: 'French' }],
    ['turn off the lights in the kitchen', 'setLights', { room: 'kitchen', on: false }],
    ['set a timer for 2 hours', 'setTimer', { seconds: 7200 }],
    ['set a timer for 90 days', 'setTimer', { seconds: 86_400 }],
    [
      'open a high priority ticket: printer on floor 3 is broken',
      'createTicket',
      { title: 'printer on floor 3 is broken', priority: 'high' },
    ],
    ['open a ticket: the lift is stuck', 'createTicket', { title: 'the lift is stuck', priority: 'medium' }],
    ['transfer 250 euros from savings to checking', 'transferMoney', { amount: 250, from: 'savings', to: 'checking' }],
    ['Suggest a recipe for lentils', 'ask_chef', { task: 'Suggest a recipe for lentils' }],
    ['getWeather {"city": "Oslo"}', 'getWeather', { city: 'Oslo' }],
  ])('%s → %s', (message, toolName, input) => {
    expect(pickCalls(everydayTools, message, { today })).toEqual({ kind: 'call', calls: [{ toolName, input }] });
  });

  it.each([
    'hello',
    'How are you?',
    'thanks for the weather!',
    'tell me a joke',
    'I like cats and dogs',
    'my name is Ada',
    'who are you?',
    'What is the capital of France?',
    'ok',
    '',
    '👋',
    '???',
  ])('calls nothing for small talk: %s', (message) => {
    expect(pickCalls(everydayTools, message, { today })).toBeUndefined();
  });

  it('asks for missing input', () => {
    expect(pickCalls(everydayTools, "What's the weather like?", { today })).toEqual({
      kind: 'ask',
      toolName: 'getWeather',
      missing: ['city'],
    });
  });
});

describe('a message with several requests', () => {
  it('calls a tool once for each value of an enumeration', () => {
    expect(pickCalls(everydayTools, 'weather for London, Oslo and Rio de Janeiro', { today })).toEqual({
      kind: 'call',
      calls: ['London', 'Oslo', 'Rio de Janeiro'].map((city) => ({ toolName: 'getWeather', input: { city } })),
    });
  });

  it('calls a tool for each clause with a request', () => {
    expect(pickCalls(everydayTools, 'What time is it in Oslo and convert 3 miles to km', { today })).toEqual({
      kind: 'call',
      calls: [
        { toolName: 'getTime', input: { city: 'Oslo' } },
        { toolName: 'convertUnits', input: { value: 3, from: 'miles', to: 'kilometres' } },
      ],
    });
  });

  it('passes the whole message to a sub-agent once', () => {
    const message = 'Suggest a recipe for lentils. Cook it in twenty minutes, chef.';
    expect(pickCalls(everydayTools, message, { today })).toEqual({
      kind: 'call',
      calls: [{ toolName: 'ask_chef', input: { task: message } }],
    });
  });

  it('makes five calls at most', () => {
    const picked = pickCalls(everydayTools, 'weather in Oslo, Rome, Paris, Lima, Cairo, Quito and Bern', { today });
    expect(picked?.kind === 'call' && picked.calls.length).toBe(5);
  });
});

describe('a follow-up message', () => {
  const lastCall = { toolName: 'getWeather', input: { city: 'Paris', unit: 'celsius' } };

  it('repeats the call with the new value', () => {
    expect(pickCalls(everydayTools, 'And in Rome?', { today, lastCall })).toEqual({
      kind: 'call',
      calls: [{ toolName: 'getWeather', input: { city: 'Rome', unit: 'celsius' } }],
    });
    expect(pickCalls(everydayTools, 'what about fahrenheit?', { today, lastCall })).toEqual({
      kind: 'call',
      calls: [{ toolName: 'getWeather', input: { city: 'Paris', unit: 'fahrenheit' } }],
    });
  });

  it('is small talk if it contains no new value', () => {
    expect(pickCalls(everydayTools, 'and how are you?', { today, lastCall })).toBeUndefined();
  });
});

describe('a tool choice', () => {
  it('calls no tool with the choice none', () => {
    expect(pickCalls(everydayTools, 'weather in Rome', { today, choice: { type: 'none' } })).toBeUndefined();
  });

  it('calls a tool with valid input if a call is required', () => {
    const picked = pickCalls(everydayTools, 'hello', { today, choice: { type: 'required' } });
    expect(picked?.kind).toBe('call');
  });

  it.each(everydayTools.map((each) => [each.name, each] as const))(
    'calls %s on request, whatever the message',
    (toolName, { inputSchema }) => {
      const ajv = new Ajv({ strict: false });
      addFormats.default(ajv);
      for (const message of ['hello', '', 'What time is it in Tokyo?', '42 apples for ada@example.com on Friday']) {
        const picked = pickCalls(everydayTools, message, { today, choice: { type: 'tool', toolName } });
        const [call] = picked?.kind === 'call' ? picked.calls : [];
        expect(call?.toolName).toBe(toolName);
        ajv.validate(inputSchema, call?.input);
        expect(ajv.errors).toBeNull();
      }
    },
  );

  it('calls nothing if no tool has the requested name', () => {
    expect(pickCalls(everydayTools, 'hi', { today, choice: { type: 'tool', toolName: 'unknown' } })).toBeUndefined();
  });
});

describe('similar tools', () => {
  it('are distinguished by the parameters in the message', () => {
    const alike = [
      tool('findUserByName', 'Find a user', { name: text }),
      tool('findUserByEmail', 'Find a user', { email: { ...text, format: 'email' } }),
    ];
    expect(pickCalls(alike, 'find the user ada@example.com', { today })).toMatchObject({
      calls: [{ toolName: 'findUserByEmail', input: { email: 'ada@example.com' } }],
    });
  });

  it('are recognised by name, description or parameters in any spelling', () => {
    const dice = [
      tool('roll_dice', 'Rolls dice', { count: integer, sides: integer }),
      tool('flip-coin', 'Flips a coin'),
    ];
    expect(pickCalls(dice, 'Roll two dice with 20 sides', { today })).toMatchObject({
      calls: [{ toolName: 'roll_dice', input: { count: 2, sides: 20 } }],
    });
    expect(pickCalls(dice, 'flipping a coin', { today })).toMatchObject({
      calls: [{ toolName: 'flip-coin', input: {} }],
    });
  });
});
