import { hasToolCall, pruneMessages } from 'ai';
import type { ParityScript } from './parity-script.ts';

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const oslo = { name: 'weather', input: { city: 'Oslo' } } as const;
const rome = { name: 'weather', input: { city: 'Rome' } } as const;

/** To add a script, add an object; the README explains the fields and the next steps. */
export const scripts: readonly ParityScript[] = [
  {
    name: 'a text',
    instructions: 'Be brief.',
    turns: [{ user: 'Hi', answers: [{ text: 'Hello, world', usage: { inputTokens: 7, outputTokens: 3 } }] }],
  },
  { name: 'an empty text', turns: [{ user: 'Hi', answers: [{ text: [''] }] }] },
  {
    name: 'a text that the limit of tokens cuts off',
    turns: [{ user: 'Tell me', answers: [{ text: 'Once upon', finish: 'length' }] }],
  },
  {
    name: 'a text that the content filter cuts off',
    turns: [{ user: 'Tell me', answers: [{ text: 'Once upon', finish: 'content-filter' }] }],
  },
  {
    name: 'instructions that the provider caches',
    instructions: [
      {
        role: 'system',
        content: 'You know this manual.',
        providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      },
      { role: 'system', content: 'Be brief.' },
    ],
    turns: [
      { user: 'Hi', answers: [{ text: 'Hello' }] },
      { user: 'Bye', answers: [{ text: 'Bye' }] },
    ],
  },
  {
    name: 'a tool that the model must call, of two active ones',
    tools: ['weather', 'time', 'silent'],
    loop: { toolChoice: { type: 'tool', toolName: 'weather' }, activeTools: ['weather', 'time'] },
    maxSteps: 1,
    turns: [{ user: 'How is Oslo?', answers: [{ toolCalls: [oslo] }] }],
  },
  {
    name: 'a model that must call no tool',
    tools: ['weather'],
    loop: { toolChoice: 'none' },
    turns: [{ user: 'How is Oslo?', answers: [{ text: 'I do not know.' }] }],
  },
  {
    name: 'a call of a tool that is not active',
    tools: ['weather', 'silent'],
    loop: { activeTools: ['silent'] },
    turns: [{ user: 'How is Oslo?', answers: [{ toolCalls: [oslo] }, { text: 'I do not know.' }] }],
  },
  {
    name: 'a tool that ends the run',
    tools: ['weather'],
    loop: { stopWhen: hasToolCall('weather') },
    turns: [{ user: 'How is Oslo?', answers: [{ text: 'I look.', toolCalls: [oslo] }] }],
  },
  {
    name: 'steps that the app prepares',
    tools: ['weather', 'time'],
    instructions: 'Be brief.',
    loop: {
      prepareStep: ({ messages, stepNumber }) => {
        if (stepNumber === 0) return { toolChoice: 'required', activeTools: ['weather'] };
        if (stepNumber > 1) return undefined;
        return {
          instructions: 'Finish.',
          messages: pruneMessages({ messages, reasoning: 'all', toolCalls: 'all', emptyMessages: 'remove' }),
        };
      },
    },
    turns: [
      { user: 'How is Oslo?', answers: [{ toolCalls: [oslo] }, { toolCalls: [rome] }, { text: 'Cold and warm.' }] },
    ],
  },
  {
    name: 'calls that the app repairs',
    tools: ['weather'],
    loop: {
      repairToolCall: async ({ toolCall }) => ({ ...toolCall, toolName: 'weather', input: '{"city":"Rome"}' }),
    },
    turns: [
      {
        user: 'How is Rome?',
        answers: [
          { toolCalls: [{ name: 'wether', input: { city: 'Rome' } }] },
          { toolCalls: [{ name: 'weather', input: { town: 'Rome' } }] },
          { text: 'Warm.' },
        ],
      },
    ],
  },
  {
    name: 'a call that the app cannot repair',
    tools: ['weather'],
    loop: { repairToolCall: async () => null },
    turns: [
      {
        user: 'How is Rome?',
        answers: [{ toolCalls: [{ name: 'weather', input: { town: 'Rome' } }] }, { text: 'I failed.' }],
      },
    ],
  },
  {
    name: 'settings of the call',
    settings: {
      temperature: 0.2,
      topK: 40,
      seed: 7,
      stopSequences: ['END'],
      reasoning: 'low',
      headers: { 'x-script-tenant': 'acme' },
    },
    turns: [{ user: 'Hi', answers: [{ text: 'Hello' }] }],
  },
  {
    name: 'reasoning that the call turns off',
    settings: { reasoning: 'none' },
    turns: [{ user: 'Hi', answers: [{ text: 'Hello' }] }],
  },
  {
    name: 'a refusal',
    providers: ['OpenAI Responses', 'OpenAI Chat'],
    turns: [{ user: 'Tell me', answers: [{ refusal: 'I cannot help with that.' }] }],
  },
  {
    name: 'an image and a document from the user',
    providers: ['OpenAI Responses', 'OpenAI Chat', 'Anthropic', 'Google'],
    turns: [
      {
        user: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', mediaType: 'image/png', data: pixel },
          { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0xLjQK', filename: 'report.pdf' },
        ],
        answers: [{ text: 'A pixel.' }],
      },
    ],
  },
  {
    name: 'an image at a URL that the provider reads, in the history, too',
    providers: ['OpenAI Responses', 'OpenAI Responses, stored', 'OpenAI Chat', 'Anthropic'],
    turns: [
      {
        user: [{ type: 'file', mediaType: 'image/png', data: 'https://files.example.com/cat.png' }],
        answers: [{ text: 'A cat.' }],
      },
      { user: 'Sure?', answers: [{ text: 'Yes.' }] },
    ],
  },
  {
    name: 'reasoning',
    turns: [{ user: '2 + 2?', answers: [{ reasoning: ['First I check.', 'Then I add.'], text: '4' }] }],
  },
  {
    name: 'reasoning before a tool call',
    tools: ['weather'],
    turns: [
      {
        user: 'How is Oslo?',
        answers: [
          { reasoning: ['I need the weather.'], toolCalls: [oslo] },
          { reasoning: ['It is cold.'], text: 'Cold.' },
        ],
      },
    ],
  },
  {
    name: 'reasoning that only the provider can read',
    providers: ['Anthropic'],
    tools: ['weather'],
    turns: [
      {
        user: 'How is Oslo?',
        answers: [{ redactedReasoning: 'encrypted', toolCalls: [oslo] }, { text: 'Cold.' }],
      },
    ],
  },
  {
    name: 'reasoning in the history',
    turns: [
      { user: '2 + 2?', answers: [{ reasoning: ['I add.'], text: '4' }] },
      { user: 'And 3 + 3?', answers: [{ reasoning: ['I add again.'], text: '6' }] },
    ],
  },
  {
    name: 'a tool call with a text before it',
    tools: ['weather', 'time', 'book'],
    turns: [{ user: 'How is Oslo?', answers: [{ text: 'Let me look.', toolCalls: [oslo] }, { text: 'Cold.' }] }],
  },
  {
    name: 'parallel tool calls',
    tools: ['weather', 'time'],
    turns: [
      {
        user: 'How are Oslo and Rome?',
        answers: [
          { toolCalls: [oslo, rome, { name: 'time', input: { city: 'Rome', format: '24h' } }] },
          { text: 'Cold and warm.' },
        ],
      },
    ],
  },
  {
    name: 'several steps, each with a text',
    tools: ['weather'],
    turns: [
      {
        user: 'How are Oslo and Rome?',
        answers: [
          { text: 'First Oslo.', toolCalls: [oslo], usage: { inputTokens: 10, outputTokens: 4 } },
          { text: 'Then Rome.', toolCalls: [rome], usage: { inputTokens: 20, outputTokens: 5 } },
          { text: 'Cold and warm.', usage: { inputTokens: 30, outputTokens: 6 } },
        ],
      },
    ],
  },
  {
    name: 'more steps than allowed',
    tools: ['weather'],
    maxSteps: 2,
    turns: [{ user: 'How is Oslo?', answers: [{ toolCalls: [oslo] }, { toolCalls: [rome] }] }],
  },
  {
    name: 'a tool that returns nothing',
    tools: ['silent'],
    turns: [{ user: 'Go', answers: [{ toolCalls: [{ name: 'silent', input: {} }] }, { text: 'Done.' }] }],
  },
  {
    name: 'a tool that fails',
    tools: ['failing'],
    turns: [{ user: 'Go', answers: [{ toolCalls: [{ name: 'failing', input: {} }] }, { text: 'It failed.' }] }],
  },
  {
    name: 'a tool of the client',
    tools: ['confirm'],
    turns: [{ user: 'Go', answers: [{ toolCalls: [{ name: 'confirm', input: { question: 'Sure?' } }] }] }],
  },
  {
    name: 'arguments that are not JSON',
    providers: ['OpenAI Responses', 'OpenAI Chat', 'OpenAI-compatible', 'Anthropic'],
    tools: ['weather'],
    modes: ['stream'],
    turns: [
      {
        user: 'How is Oslo?',
        answers: [{ toolCalls: [{ name: 'weather', arguments: '{"city": "Os' }] }, { text: 'I failed.' }],
      },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'arguments that do not fit the tool',
    tools: ['weather'],
    turns: [
      {
        user: 'How is Oslo?',
        answers: [{ toolCalls: [{ name: 'weather', input: { town: 'Oslo' } }] }, { text: 'I failed.' }],
      },
    ],
  },
  {
    name: 'an unknown tool',
    tools: ['weather'],
    turns: [
      { user: 'Go', answers: [{ toolCalls: [{ name: 'teleport', input: { to: 'Oslo' } }] }, { text: 'I cannot.' }] },
    ],
  },
  {
    name: 'a tool call in the history',
    instructions: 'Be brief.',
    tools: ['weather'],
    turns: [
      { user: 'How is Oslo?', answers: [{ text: 'Let me look.', toolCalls: [oslo] }, { text: 'Cold.' }] },
      { user: 'And Rome?', answers: [{ reasoning: ['Again.'], toolCalls: [rome] }, { text: 'Warm.' }] },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a failed tool call in the history',
    tools: ['failing'],
    turns: [
      { user: 'Go', answers: [{ toolCalls: [{ name: 'failing', input: {} }] }, { text: 'It failed.' }] },
      { user: 'Again?', answers: [{ text: 'No.' }] },
    ],
  },
  {
    name: 'a web search of the provider',
    providerTools: true,
    providers: ['OpenAI Responses', 'Anthropic'],
    turns: [
      {
        user: 'News?',
        answers: [
          {
            webSearch: { query: 'news', results: [{ url: 'https://example.com/news', title: 'News' }] },
            text: 'Nothing new.',
          },
        ],
      },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'code that the provider executes',
    providerTools: true,
    providers: ['Google'],
    turns: [
      { user: '2 + 2?', answers: [{ codeExecution: { code: 'print(2 + 2)', output: '4' }, text: 'It is 4.' }] },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a file from the model',
    providers: ['Google'],
    turns: [
      { user: 'Draw', answers: [{ files: [{ mediaType: 'image/png', base64: pixel }], text: 'Here.' }] },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a file in the reasoning',
    providers: ['Google'],
    turns: [
      {
        user: 'Draw',
        answers: [
          { reasoning: ['A sketch.'], reasoningFiles: [{ mediaType: 'image/png', base64: pixel }], text: 'Here.' },
        ],
      },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a compaction by the provider',
    providers: ['OpenAI Responses', 'OpenAI Responses, stored'],
    tools: ['weather'],
    turns: [
      { user: 'How is Oslo?', answers: [{ compaction: 'encrypted', toolCalls: [oslo] }, { text: 'Cold.' }] },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a tool that the provider found',
    providerTools: true,
    providers: ['OpenAI Responses'],
    turns: [
      { user: 'Roll', answers: [{ mcp: { name: 'roll', input: { sides: 6 }, output: '4' }, text: 'Four.' }] },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a web search that fails',
    providerTools: true,
    providers: ['Anthropic'],
    turns: [
      {
        user: 'News?',
        answers: [{ webSearch: { query: 'news', results: [], error: 'max_uses_exceeded' }, text: 'I cannot tell.' }],
      },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'an object',
    output: 'person',
    turns: [{ user: 'Who?', answers: [{ text: '{"name":"Ada","role":"guest"}' }] }],
  },
  {
    name: 'a list of objects',
    output: 'people',
    turns: [
      {
        user: 'Who?',
        answers: [
          { text: ['{"elements":[{"name":"Ada","role"', ':"guest"},{"name":"Bo","age":3,"role":"cook"}', ']}'] },
        ],
      },
    ],
  },
  {
    name: 'one of several texts',
    output: 'weather',
    turns: [{ user: 'How is it?', answers: [{ text: ['{"result":', '"rainy"}'] }] }],
  },
  {
    name: 'a list of objects after a tool call',
    output: 'people',
    tools: ['weather'],
    // With tools, the package of Google asks for the object as the arguments of another tool.
    providers: ['OpenAI Responses', 'OpenAI Responses, stored', 'OpenAI Chat', 'Anthropic', 'OpenAI-compatible'],
    turns: [
      {
        user: 'Who?',
        answers: [{ toolCalls: [oslo] }, { text: '{"elements":[{"name":"Ada","role":"guest"}]}' }],
      },
    ],
  },
  {
    name: 'sources',
    providers: ['OpenAI Responses', 'OpenAI Chat', 'Google'],
    turns: [
      {
        user: 'News?',
        answers: [{ text: 'Nothing new.', sources: [{ url: 'https://example.com/news', title: 'News' }] }],
      },
      { user: 'Thanks', answers: [{ text: 'Welcome.' }] },
    ],
  },
  {
    name: 'a request that the provider refuses',
    turns: [{ user: 'Hi', answers: [{ status: 401 }] }],
  },
  {
    name: 'a rate limit, and then an answer',
    maxRetries: 1,
    turns: [{ user: 'Hi', answers: [{ status: 429, headers: { 'retry-after-ms': '1' } }, { text: 'Hello' }] }],
  },
  {
    name: 'an overload in the second step',
    tools: ['weather'],
    turns: [{ user: 'How is Oslo?', answers: [{ toolCalls: [oslo] }, { status: 503 }] }],
  },
  {
    name: 'an error in the middle of the answer',
    modes: ['stream'],
    turns: [{ user: 'Hi', answers: [{ text: ['Hel', 'lo'], fault: { kind: 'error-event', afterChunks: 1 } }] }],
  },
  {
    name: 'an error before the first text, and then an answer',
    maxRetries: 1,
    modes: ['stream'],
    turns: [
      {
        user: 'Hi',
        answers: [{ text: ['Hel', 'lo'], fault: { kind: 'error-event', afterChunks: 0 } }, { text: 'Hello' }],
      },
    ],
  },
  {
    name: 'a connection that breaks in the middle of the answer',
    modes: ['stream'],
    turns: [{ user: 'Hi', answers: [{ text: ['Hel', 'lo'], fault: { kind: 'destroy', afterChunks: 1 } }] }],
  },
  {
    name: 'an abort before the answer',
    abort: 'when the request arrives',
    turns: [{ user: 'Hi', answers: [{ noAnswer: 'hang' }] }],
  },
  {
    name: 'an abort in the middle of the answer',
    abort: 'after the first text',
    modes: ['stream'],
    turns: [{ user: 'Hi', answers: [{ text: ['Hel', 'lo'], fault: { kind: 'hang', afterChunks: 1 } }] }],
  },
  {
    name: 'an abort while a tool runs',
    abort: 'when a tool runs',
    tools: ['weather'],
    turns: [{ user: 'How is Oslo?', answers: [{ toolCalls: [oslo] }] }],
  },
];
