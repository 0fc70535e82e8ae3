import { HalyardError } from '@halyard/contracts';
import type { JSONValue } from '../../model/providers/model-port.ts';
import { type AcceptedData, acceptData, type ToolWriter } from '../../tool/tool-data.ts';
import type { AgentEvent, DataEvent } from '../agent-event.ts';
import type { Emit, Run } from '../loop/run.ts';
import { outputPasses } from '../processors/bound-processor.ts';
import { processValue } from '../processors/process-value.ts';

export type DataAgentEvent = Extract<AgentEvent, DataEvent>;

const greatestSum = 1024 * 1024;

/**
 * The data that one tool call writes, in their order, after the processors of the reply. Those that
 * are stored are kept for a run that is continued.
 */
export class CallData {
  readonly #run: Run;
  readonly #toolName: string;
  readonly #kept: DataAgentEvent[] = [];
  #sum = 0;
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #hasEnded = false;

  constructor(run: Run, toolName: string) {
    this.#run = run;
    this.#toolName = toolName;
  }

  readonly writer: ToolWriter = {
    write: (part) => {
      if (this.#hasEnded) return Promise.resolve();
      const accepted = acceptData(this.#toolName, part);
      this.#sum += accepted.size;
      if (this.#sum > greatestSum)
        throw new HalyardError(
          'failed',
          'TOOL_FAILED',
          `Tool "${this.#toolName}" wrote more than ${greatestSum} characters of data in one call`,
        );
      const written = this.#last.then(() => this.#write(accepted));
      // The tool may ignore the promise: the error ends the run in any case.
      this.#last = written.catch((error: unknown) => {
        this.#failure ??= { error };
      });
      return written;
    },
  };

  /** Passes on the events of agents that the tool runs. */
  readonly emit: Emit = (event) => {
    if (event.type === 'data') this.#keep(event);
    return this.#run.output.events.emit(event);
  };

  /** The written data that belong to the message. */
  get kept(): readonly DataAgentEvent[] {
    return this.#kept;
  }

  /** Waits for written data. @throws the error of a processor that refused data. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#last;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Nothing is written from now on. */
  close(): void {
    this.#hasEnded = true;
  }

  async #write({ isTransient, part }: AcceptedData): Promise<void> {
    const { dependencies, output } = this.#run;
    const data = await processValue(outputPasses(dependencies.outputProcessors, 'data'), part.data as JSONValue);
    const event: DataEvent = { type: 'data', part: { ...part, data }, ...(isTransient && { transient: true }) };
    this.#keep(event);
    await output.events.emit(event);
  }

  #keep(event: DataAgentEvent): void {
    if (event.transient === true) return;
    const { id, type } = event.part;
    const earlier = id === undefined ? -1 : this.#kept.findIndex(({ part }) => part.id === id && part.type === type);
    if (earlier === -1) this.#kept.push(event);
    else this.#kept[earlier] = event;
  }
}
