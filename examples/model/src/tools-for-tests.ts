import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';

/** A short form of a property's schema. */
export type Property = Readonly<Record<string, unknown>>;

export const text: Property = { type: 'string' };
const number: Property = { type: 'number' };
export const integer: Property = { type: 'integer' };

/** A tool with these parameters; those whose name ends in `?` are optional. */
export function tool(
  name: string,
  description: string,
  parameters: Readonly<Record<string, Property>> = {},
): LanguageModelV4FunctionTool {
  const properties = Object.fromEntries(Object.entries(parameters).map(([key, part]) => [key.replace('?', ''), part]));
  const required = Object.keys(parameters).filter((key) => !key.endsWith('?'));
  return {
    type: 'function',
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
  };
}

const unit: Property = {
  type: 'string',
  enum: ['kilometres', 'miles', 'kilograms', 'pounds', 'celsius', 'fahrenheit'],
};

/** The tools of an app with many functions, all available at once. */
export const everydayTools: readonly LanguageModelV4FunctionTool[] = [
  tool('getWeather', 'Current weather in a city', {
    city: text,
    'unit?': { type: 'string', enum: ['celsius', 'fahrenheit'] },
  }),
  tool('getTime', 'Current local time and date in a city', { city: text }),
  tool('convertUnits', 'Convert a value from one unit to another', { value: number, from: unit, to: unit }),
  tool('convertCurrency', 'Convert an amount of money to another currency', {
    amount: number,
    from: { ...text, pattern: '^[A-Z]{3}$' },
    to: { ...text, pattern: '^[A-Z]{3}$' },
  }),
  tool('calculate', 'Evaluate an arithmetic expression', { expression: text }),
  tool('addNote', 'Write down a note or something to remember', { text: { ...text, minLength: 1 } }),
  tool('listNotes', 'List, show or read all the notes written so far'),
  tool('deleteNotes', 'Delete, erase or clear all notes'),
  tool('searchDocs', 'Search the documentation', { query: text, 'limit?': { ...integer, minimum: 1, maximum: 20 } }),
  tool('searchProducts', 'Find products in the shop', { query: text, 'maxPrice?': number, 'minPrice?': number }),
  tool('placeOrder', 'Order groceries', {
    items: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', properties: { name: text, quantity: integer }, required: ['name', 'quantity'] },
    },
  }),
  tool('getOrder', 'Look up the status of an order', { orderId: text }),
  tool('refundOrder', 'Refund an order', { orderId: text, amount: number, 'reason?': text }),
  tool('sendEmail', 'Send an email', { to: { ...text, format: 'email' }, subject: text, body: text }),
  tool('bookTable', 'Book a table at a restaurant', {
    partySize: integer,
    date: { ...text, format: 'date' },
    time: text,
  }),
  tool('createEvent', 'Put a meeting into the calendar', {
    title: text,
    attendees: { type: 'array', items: text },
    start: { ...text, format: 'date-time' },
    durationMinutes: integer,
  }),
  tool('searchFlights', 'Search flights between two airports', {
    origin: text,
    destination: text,
    date: { ...text, format: 'date' },
    'adults?': integer,
    'cabin?': { enum: ['economy', 'business'] },
  }),
  tool('translate', 'Translate a text', { text, targetLanguage: text }),
  tool('setLights', 'Switch the lights of a room', { room: text, on: { type: 'boolean' } }),
  tool('setTimer', 'Start a timer', { seconds: { ...integer, maximum: 86_400 } }),
  tool('createTicket', 'Open a support ticket', {
    title: text,
    priority: { enum: ['low', 'medium', 'high'], default: 'medium' },
    'assignee?': text,
  }),
  tool('transferMoney', 'Transfer money between accounts', {
    amount: { ...number, exclusiveMinimum: 0 },
    from: text,
    to: text,
  }),
  tool('ask_chef', 'Asks the agent "Chef" to do a task and answer. Cooks, and suggests recipes', { task: text }),
];
