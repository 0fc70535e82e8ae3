import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from './cli-error.ts';

interface OutputFileOptions {
  readonly force?: boolean | undefined;
  readonly mode?: number | undefined;
}

/** A file that has its name only once it is complete. */
export class OutputFile {
  readonly path: string;
  readonly #partial: string;
  readonly #handle: FileHandle;

  private constructor(path: string, partial: string, handle: FileHandle) {
    this.path = path;
    this.#partial = partial;
    this.#handle = handle;
  }

  /** @throws CliError if the file exists, unless `force`, or cannot be written. */
  static async create(name: string, { force = false, mode = 0o666 }: OutputFileOptions = {}): Promise<OutputFile> {
    const path = resolve(name);
    if (existsSync(path) && !force) {
      throw new CliError(`${path} exists.`, { fix: 'Pass another name with --out, or replace the file with --force' });
    }
    // Its name would be given to the new file: as root, also that of a device such as /dev/null.
    if (existsSync(path) && !statSync(path).isFile()) {
      throw new CliError(`${path} is not a file.`, { fix: 'Pass the name of a file with --out' });
    }
    const partial = `${path}.${process.pid}.partial`;
    try {
      return new OutputFile(path, partial, await open(partial, 'wx', mode));
    } catch (error) {
      throw writeFailure(path, error);
    }
  }

  async write(text: string): Promise<void> {
    try {
      await this.#handle.writeFile(text);
    } catch (error) {
      throw writeFailure(this.path, error);
    }
  }

  /** Gives the file its name, once its content is on the disk. */
  async complete(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      renameSync(this.#partial, this.path);
    } catch (error) {
      throw writeFailure(this.path, error);
    }
  }

  /** Deletes the partial file. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    rmSync(this.#partial, { force: true });
  }
}

function writeFailure(path: string, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CliError(`${path} cannot be written: ${reason}.`, {
    cause: error,
    fix: 'Pass a file in a folder that exists and has space, with --out',
  });
}
