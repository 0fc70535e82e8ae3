import { spinner } from '@clack/prompts';
import { tell } from './terminal.ts';

/** Work that takes less shows nothing. */
const showAfterMs = 2_000;
/** How often a line is written where there is no terminal. */
const lineEveryMs = 10_000;

/** Tells how far the work is, such as `12 000 records`. */
export type Report = (state: string) => void;

/**
 * Runs work. If it takes more than two seconds, shows how far it is: a spinner in a terminal, else
 * a line now and then. Written to the standard error.
 */
export async function withProgress<Result>(title: string, work: (report: Report) => Promise<Result>): Promise<Result> {
  const progress = process.stderr.isTTY ? new SpinnerProgress(title) : new LineProgress(title);
  try {
    return await work((state) => progress.report(state));
  } finally {
    progress.end();
  }
}

class SpinnerProgress {
  readonly #title: string;
  readonly #timer: NodeJS.Timeout;
  #spinner: ReturnType<typeof spinner> | undefined;
  #state = '';

  constructor(title: string) {
    this.#title = title;
    this.#timer = setTimeout(() => {
      this.#spinner = spinner({ output: process.stderr });
      this.#spinner.start(this.#text());
    }, showAfterMs);
  }

  report(state: string): void {
    this.#state = state;
    this.#spinner?.message(this.#text());
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#spinner?.stop(this.#text());
  }

  #text(): string {
    return this.#state === '' ? this.#title : `${this.#title}: ${this.#state}`;
  }
}

class LineProgress {
  readonly #title: string;
  #timer: NodeJS.Timeout;
  #state = '';

  constructor(title: string) {
    this.#title = title;
    this.#timer = setTimeout(() => this.#writeLine(), showAfterMs);
  }

  report(state: string): void {
    this.#state = state;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #writeLine(): void {
    tell(this.#state === '' ? `${this.#title} …` : `${this.#title}: ${this.#state}`);
    this.#timer = setTimeout(() => this.#writeLine(), lineEveryMs);
  }
}
