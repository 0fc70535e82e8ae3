/** What every app serves and the driver expects: one agent, one answer of 200 words, one tool, one workflow of five steps. */

export const agentId = 'assistant';

const words = ['sail ', 'wind ', 'port ', 'deck ', 'mast ', 'helm ', 'knot ', 'tide ', 'crew ', 'rope '];

/** The 200 deltas of a stream, five characters each. */
export const deltas: readonly string[] = Array.from({ length: 200 }, (_, index) => words[index % words.length] ?? '');

/** What the deltas add up to, and the answer of every call that does not stream. */
export const answerText: string = deltas.join('');

/** The prompt chooses how the scripted model behaves, so that one process serves every scenario. */
export const prompts = {
  /** One delta per turn of the event loop, as from a quick network. */
  paced: 'Tell me about sailing.',
  /** Every delta ready at once. */
  burst: 'Tell me about sailing in a burst.',
  /** A tool call first, then the answer. */
  tool: 'What is the weather in Lisbon?',
  /** Answered only where the model sees what was said before. */
  remembered: 'Tell me about sailing, as you did before.',
} as const;

export const userId = 'ada';

/** Signs the token of {@link userId}, where an app asks for one. */
export const tokenSecret = 'a secret for the benchmarks alone, of enough bytes';

/** Conversations that are there when an app starts. Requests take them in turn. */
export const conversationIds: readonly string[] = Array.from({ length: 64 }, (_, index) => `conversation-${index}`);

/** How many messages of a conversation the model sees before the new one; each has as many when an app starts. */
export const historyLength = 10;

/** What a conversation holds from the start: questions and answers in turn. */
export const history: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[] = Array.from(
  { length: historyLength },
  (_, index) =>
    index % 2 === 0 ? { role: 'user', text: prompts.remembered } : { role: 'assistant', text: answerText },
);

export const weatherTool = {
  name: 'getWeather',
  description: 'Current weather in a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const;

export const weatherCall = { toolCallId: 'call-1', toolName: weatherTool.name, input: { city: 'Lisbon' } } as const;

export function weatherIn(city: string): { city: string; temperature: number; sky: string } {
  return { city, temperature: 21, sky: 'clear' };
}

/** Tokens that one call of the scripted model reports. */
export const tokensPerCall = { input: 20, output: 200 } as const;

export const workflowId = 'five';

/** Each step of the workflow adds one. */
export const workflowSteps = ['one', 'two', 'three', 'four', 'five'] as const;

export interface Count {
  readonly n: number;
}

export const workflowInput: Count = { n: 0 };

export function addOne({ n }: Count): Count {
  return { n: n + 1 };
}
