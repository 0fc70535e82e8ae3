import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Runs each line, a JSON string, as a program, and prints how it ended, as JSON. */
const loop = `
import contextlib, io, json, sys
for line in sys.stdin:
    fault = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(json.loads(line), {'__name__': '__main__'})
    except BaseException as error:
        fault = repr(error)
    print(json.dumps(fault), flush=True)
`;

/** A Python that runs samples one after the other, and loads its library once. */
export class PythonProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #replies: AsyncIterator<string>;

  constructor() {
    this.#child = spawn('python3', ['-c', loop], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Interface = createInterface({ input: this.#child.stdout });
    this.#replies = lines[Symbol.asyncIterator]();
  }

  /** @throws Error when the sample fails. */
  async run(sample: string): Promise<void> {
    this.#child.stdin.write(`${JSON.stringify(sample)}\n`);
    const reply = await this.#replies.next();
    const fault = reply.done === true ? 'Python has ended' : (JSON.parse(reply.value) as string | null);
    if (fault !== null) throw new Error(fault);
  }

  close(): void {
    this.#child.kill();
  }
}
