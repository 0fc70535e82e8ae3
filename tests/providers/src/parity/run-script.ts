import type { RecordedRequest, Wire } from '../wire/index.ts';
import type { Mode, Observation, ParityScript, ScriptedReply } from './parity-script.ts';
import { toPlain } from './plain.ts';
import { type Provider, provider, type ProviderName } from './providers.ts';

export interface ParityCase {
  readonly script: ParityScript;
  readonly provider: ProviderName;
  readonly mode: Mode;
}

/** A run of a script: what each side needs in order to ask one turn after the other. */
export interface ScriptRun {
  readonly script: ParityScript;
  readonly mode: Mode;
  readonly model: ReturnType<Provider['model']>;
  readonly providerOptions: Provider['providerOptions'];
  readonly providerTools: NonNullable<Provider['tools']>;
  readonly signal: AbortSignal;
  /** The side calls it when a tool runs. */
  readonly onToolCall: () => void;
  /** The side calls it with each event, in the form that both sides share. */
  readonly onEvent: (event: Readonly<Record<string, unknown>>) => void;
}

/** Asks one turn; returns its result, or how it failed, in the form that both sides share. */
export type AskTurn = (user: ScriptedReply['user']) => Promise<unknown>;

/** Runs a script on a server of its own. */
export async function runScript(
  { script, provider: name, mode }: ParityCase,
  start: (run: ScriptRun) => AskTurn,
): Promise<Observation> {
  const { open, model, providerOptions, tools = {} } = provider(name);
  await using wire = await open();
  const controller = new AbortController();
  const abortAt = (moment: ParityScript['abort']): void => {
    if (script.abort === moment) controller.abort();
  };
  const events: unknown[] = [];
  const ask = start({
    script,
    mode,
    model: model(wire.baseURL),
    providerOptions,
    providerTools: script.providerTools === true ? tools : {},
    signal: controller.signal,
    onToolCall: () => abortAt('when a tool runs'),
    onEvent: (event) => {
      events.push(toPlain(event));
      if (event['type'] === 'text-delta') abortAt('after the first text');
    },
  });
  wire.request(0).then(
    () => abortAt('when the request arrives'),
    () => {},
  );

  const results: unknown[] = [];
  for (const { user, answers } of script.turns) {
    wire.reply(...answers);
    results.push(toPlain(await ask(user)));
  }
  return { requests: await observed(wire), events, results };
}

async function observed({ requests, scriptsLeft }: Wire<never>): Promise<readonly unknown[]> {
  await Promise.all(requests.map(({ ended }) => ended));
  const sent = requests.map(({ path, headers, body, aborted }: RecordedRequest) =>
    toPlain({ path, headers: ofScript(headers), body, aborted }),
  );
  return scriptsLeft === 0 ? sent : [...sent, { answersThatNobodyRequested: scriptsLeft }];
}

/** Other headers name the versions of libraries. */
function ofScript(headers: RecordedRequest['headers']): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-script-')));
}
