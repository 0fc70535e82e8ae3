import { type Clock, GuardrailBlockedError, ProcessorFailedError, type StoredMessage } from '@halyard/contracts';
import type { Prompt } from '../../model/providers/model-port.ts';
import { type ProcessorHook, processorAttributes } from '../../telemetry/attributes/processor.ts';
import type { RunRecording } from '../../telemetry/record-memory.ts';
import type { RunContext } from '../agent-options.ts';
import type {
  ConversationHistory,
  HistoryVerdict,
  InputSource,
  OutputSource,
  OutputVerdict,
  Processor,
  StepPrompt,
  StepVerdict,
} from './processor.ts';

/**
 * The run that a processor works for: that of its own agent, also when it checks the reply of a
 * sub-agent.
 */
export interface ProcessorRun {
  readonly context: RunContext;
  readonly recording: RunRecording | undefined;
  readonly clock: Clock;
  /**
   * The error of a processor that blocked or threw: it ends the run, also when it happened in a
   * sub-agent.
   */
  refusal: Error | undefined;
}

export interface BoundProcessor {
  readonly processor: Processor;
  readonly run: ProcessorRun;
}

/** The result of a processor for a text. */
export interface Passed {
  readonly text: string;
  /**
   * The end of the text, which the processor wants to see again with the text after it. Empty for a
   * complete text.
   */
  readonly held: string;
}

/** Passes a text through one processor. @throws GuardrailBlockedError, ProcessorFailedError */
export type TextPass = (text: string, isComplete: boolean) => Promise<Passed>;

export function inputPasses(processors: readonly BoundProcessor[], source: InputSource): readonly TextPass[] {
  return processors.flatMap(({ processor, run }) => {
    if (processor.processInput === undefined) return [];
    return textPass(processor, 'input', source, run, (text) => processor.processInput?.({ text, source }, run.context));
  });
}

export function outputPasses(processors: readonly BoundProcessor[], source: OutputSource): readonly TextPass[] {
  return processors.flatMap(({ processor, run }) => {
    if (processor.processOutput === undefined) return [];
    return textPass(processor, 'output', source, run, (text, isComplete) =>
      processor.processOutput?.({ text, source, isComplete }, run.context),
    );
  });
}

/**
 * The stored messages as the processors return them. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
export async function processHistory(
  processors: readonly BoundProcessor[],
  historyOf: (messages: readonly StoredMessage[]) => ConversationHistory,
  given: readonly StoredMessage[],
): Promise<readonly StoredMessage[]> {
  let messages = given;
  for (const { processor, run } of processors) {
    if (processor.processHistory === undefined) continue;
    const history = historyOf(messages);
    const startTime = run.clock.now();
    const change = await askProcessor<HistoryVerdict>(
      processor,
      'history',
      run,
      async () => processor.processHistory?.(history, run.context) ?? { action: 'allow' },
    );
    if (change === undefined) continue;
    ({ messages } = change);
    recordProcessor(processor, 'history', run, { action: 'modify', startTime, details: change.details });
  }
  return messages;
}

/**
 * The prompt of a model call as the processors return it. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
export async function processPrompt(processors: readonly BoundProcessor[], given: StepPrompt): Promise<Prompt> {
  let { prompt } = given;
  for (const { processor, run } of processors) {
    if (processor.processStep === undefined) continue;
    const current = prompt;
    const startTime = run.clock.now();
    const change = await askProcessor<StepVerdict>(
      processor,
      'step',
      run,
      async () => processor.processStep?.({ ...given, prompt: current }, run.context) ?? { action: 'allow' },
    );
    if (change === undefined) continue;
    ({ prompt } = change);
    recordProcessor(processor, 'step', run, { action: 'modify', startTime, details: change.details });
  }
  return prompt;
}

function textPass(
  processor: Processor,
  hook: 'input' | 'output',
  source: InputSource | OutputSource,
  run: ProcessorRun,
  ask: (text: string, isComplete: boolean) => OutputVerdict | Promise<OutputVerdict> | undefined,
): TextPass {
  return async (text, isComplete) => {
    const startTime = run.clock.now();
    const change = await askProcessor(processor, hook, run, async () => ask(text, isComplete) ?? { action: 'allow' });
    if (change === undefined) return { text, held: '' };
    const { hold: held = '', text: passed } = change;
    // Text that is only held has not changed.
    if (passed + held !== text) recordProcessor(processor, hook, run, { action: 'modify', source, startTime });
    return isComplete ? { text: passed + held, held: '' } : { text: passed, held };
  };
}

type Change<Verdict> = Extract<Verdict, { readonly action: 'modify' }>;

/**
 * @returns the change that the processor makes; undefined where it makes none. @throws
 * GuardrailBlockedError, ProcessorFailedError
 */
async function askProcessor<Verdict extends HistoryVerdict | OutputVerdict | StepVerdict>(
  processor: Processor,
  hook: ProcessorHook,
  run: ProcessorRun,
  ask: () => Promise<Verdict>,
): Promise<Change<Verdict> | undefined> {
  const startTime = run.clock.now();
  const { name } = processor;
  let verdict: Verdict;
  try {
    verdict = await ask();
  } catch (cause) {
    const error = new ProcessorFailedError(name, { cause });
    recordProcessor(processor, hook, run, { action: 'fail', startTime, error });
    run.refusal = error;
    throw error;
  }
  if (verdict.action === 'allow') return undefined;
  if (verdict.action === 'modify') return verdict as Change<Verdict>;
  const error = new GuardrailBlockedError(hook === 'output' ? 'output' : 'input', name, verdict.reason);
  recordProcessor(processor, hook, run, { action: 'block', startTime, error });
  run.refusal = error;
  throw error;
}

interface ProcessorEffect {
  readonly action: 'modify' | 'block' | 'fail';
  readonly source?: InputSource | OutputSource;
  readonly startTime?: number;
  readonly error?: Error;
  readonly details?: Readonly<Record<string, string | number>> | undefined;
}

/** A processor that has no effect leaves no span. */
function recordProcessor(
  { name }: Processor,
  hook: ProcessorHook,
  { recording }: ProcessorRun,
  { action, details = {}, error, source, startTime }: ProcessorEffect,
): void {
  if (recording?.span.isRecording !== true) return;
  const span = recording.recorder.start({
    name: `processor ${name}`,
    parent: recording.span.context,
    attributes: processorAttributes(name, hook, action, source, details),
    ...(startTime !== undefined && { startTime }),
  });
  span.end(error === undefined ? {} : { error });
}
