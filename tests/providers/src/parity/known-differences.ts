import type { Difference } from './differences.ts';
import { isRecord } from './plain.ts';
import type { ParityCase } from './run-script.ts';

/**
 * A difference between an agent and the AI SDK that is listed, so that it does not fail the
 * comparison.
 */
export interface KnownDifference {
  readonly name: string;
  /**
   * `intended` stays. A `fault` is to be repaired: its test fails as expected, and turns red when
   * the fault is gone.
   */
  readonly kind: 'intended' | 'fault';
  /** Why it is intended; for a fault, what it does to users. */
  readonly reason: string;
  readonly path: RegExp;
  /** The version of the AI SDK with which it occurs. Default: all. */
  readonly version?: SdkVersion;
  /** Narrows the difference further. */
  readonly when?: (difference: Difference, parityCase: ParityCase) => boolean;
}

export type SdkVersion = 'oldest' | 'newest';

/** Whether the entry lists the difference. */
export function isListedBy({ path, when }: KnownDifference, difference: Difference, parityCase: ParityCase): boolean {
  return path.test(difference.path) && (when === undefined || when(difference, parityCase));
}

const agentLacks = ({ agent }: Difference): boolean => agent === undefined;
const sdkLacks = ({ sdk }: Difference): boolean => sdk === undefined;

const toolErrorInRequest =
  /^requests\.\[\d+\]\.body\.(input\.\[function_call_output\]\.output|messages\.\[tool\]\.content|messages\.\[user\]\.content\.\[tool_result\]\.content|contents\.\[user\]\.parts\.\[\d+\]\.functionResponse\.response\.error)$/;

const intended: readonly Omit<KnownDifference, 'kind'>[] = [
  {
    name: 'the text of a failed tool call',
    reason:
      'An agent tells the model what was wrong in fewer tokens: without class names, stacks of causes and the arguments.',
    path: toolErrorInRequest,
  },
  {
    name: 'the text of a tool error in events',
    reason: 'The same text as the model receives.',
    path: /^events\.\[tool-error\]\.error$/,
  },
  {
    name: 'the end of a call that is stopped',
    reason: 'A client shows a call until it ends. An agent ends those that it stops, as it stores them.',
    path: /^events\.\[tool-error\]$/,
    when: (difference, { script }) => sdkLacks(difference) && script.abort === 'when a tool runs',
  },
  {
    name: 'the text of an error event',
    reason:
      'Events go to clients, which must not see what a provider wrote. The developer gets it as the cause, and in the log.',
    path: /^events\.\[error\]\.error$/,
  },
  {
    name: 'a broken connection as an event',
    reason: 'Every stream of an agent ends with one of `finish`, `abort` and `error`. The stream of the SDK throws.',
    path: /^events\.\[error\]$/,
    when: sdkLacks,
  },
  {
    name: 'no end of blocks, step and run after an error',
    reason: 'The error is the last event of an agent. The SDK also ends what was open, with the reason `error`.',
    path: /^events\.\[(finish|finish-step|text-end)\]$/,
    when: agentLacks,
  },
  {
    name: 'no event for the start of a response of Anthropic',
    reason: 'It says nothing that `response` of the result does not say, and it is no part of the answer.',
    path: /^events\.\[custom\]$/,
    when: (difference) =>
      agentLacks(difference) && isRecord(difference.sdk) && difference.sdk['kind'] === 'anthropic.message_start',
  },
  {
    name: 'the start of a step before the model answers',
    reason: 'Clients can show that a step is running. The SDK emits it when the model has answered.',
    path: /^events\.\[start-step\]$/,
    when: sdkLacks,
  },
  {
    name: 'null as the result of a tool that returns nothing',
    reason: 'Events and results of agents are JSON. The model receives null from both.',
    path: /^(events\.\[tool-result\]|results\.\[\d+\](\.steps\.\[\d+\])?\.toolResults\.\[\d+\])\.output$/,
    when: ({ sdk, agent }) => sdk === undefined && agent === null,
  },
  {
    name: 'the mark of invalid arguments on tool errors',
    reason: 'A client can tell a wrong call from a tool that failed.',
    path: /^events\.\[tool-error\]\.invalid$/,
    when: sdkLacks,
  },
  {
    name: 'no mark of invalid arguments on a call of an unknown tool',
    reason: 'No schema exists that the arguments could violate. The tool error says that there is no such tool.',
    path: /^events\.\[tool-call\]\.invalid$/,
    when: (difference, { script }) =>
      agentLacks(difference) && ['an unknown tool', 'a call of a tool that is not active'].includes(script.name),
  },
  {
    name: 'a tool that is not active does not run',
    reason: 'An agent refuses the call, as later versions of the SDK do. The oldest runs the tool without streaming.',
    version: 'oldest',
    path: /^(requests\.\[1\]\.body|results\.\[0\])\./,
    when: (_, { mode, script }) => mode === 'generate' && script.name === 'a call of a tool that is not active',
  },
  {
    name: 'no mark `dynamic` on calls with invalid arguments',
    reason:
      'They have the mark `invalidInput` (`invalid` in results). `dynamic` says that the tool is not one of the agent.',
    path: /^(events\.\[tool-(call|error)\]|results\.\[\d+\](\.steps\.\[\d+\])?\.toolCalls\.\[\d+\])\.dynamic$/,
    when: agentLacks,
  },
  {
    name: 'the mark `dynamic` on all events and results of a tool that is not one of the agent',
    reason: 'The SDK marks the call only. A client can handle each event without its call.',
    path: /^(events\.\[tool-(input-start|result)\]|results\.\[\d+\](\.steps\.\[\d+\])?\.toolResults\.\[\d+\])\.dynamic$/,
    when: sdkLacks,
  },
  {
    name: 'ids of blocks are those of the provider',
    reason:
      'They are unique within a step, which `start-step` begins; useChat forgets them there. The newest SDK renames them, earlier ones do not.',
    version: 'newest',
    path: /^events\.\[(text|reasoning)-(start|delta|end)\]\.id$/,
    when: ({ sdk }) => typeof sdk === 'string' && sdk.startsWith('aitxt-'),
  },
  {
    name: 'provider metadata under one name in the reasoning of steps',
    reason: 'The SDK calls it `providerOptions` in steps, and `providerMetadata` in results.',
    path: /^results\.\[\d+\]\.steps\.\[\d+\]\.reasoning\.\[reasoning\]\.(providerMetadata|providerOptions)$/,
  },
  {
    name: 'files under one form in the reasoning of steps',
    reason: 'The SDK has their content as `data` in steps, and as `file` in results.',
    path: /^results\.\[\d+\]\.steps\.\[\d+\]\.reasoning\.\[reasoning-file\]\.(data|file|mediaType)$/,
  },
  {
    name: 'the limits of a list in its schema',
    reason: 'The oldest version of the SDK does not know `minItems` and `maxItems`.',
    version: 'oldest',
    path: /^requests\.\[\d+\]\.body\..+\.properties\.elements\.(minItems|maxItems|description)$/,
    when: sdkLacks,
  },
  {
    name: 'the metadata of the message at the end of the run',
    reason:
      'The SDK adds `messageMetadata` when it turns the events into a UI message stream. An agent also stores them.',
    path: /^events\.\[finish\]\.messageMetadata$/,
    when: sdkLacks,
  },
];

const faults: readonly Omit<KnownDifference, 'kind'>[] = [];

export const knownDifferences: readonly KnownDifference[] = [
  ...intended.map((entry) => ({ ...entry, kind: 'intended' as const })),
  ...faults.map((entry) => ({ ...entry, kind: 'fault' as const })),
];
