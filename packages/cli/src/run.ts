import type { CommanderError } from 'commander';
import { CliError, exitCodes } from './cli-error.ts';
import { checkNode } from './doctor/check-environment.ts';
import { createProgram } from './program.ts';
import { plain, style, tell } from './terminal.ts';

/** Runs the program. @returns the exit code. */
export async function run(args: readonly string[], nodeVersion: string = process.versions.node): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const program = createProgram((code) => {
    exitCode = code;
  }).hook('preAction', () => refuseOldNode(nodeVersion));
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return report(error, args);
  }
}

/** Otherwise the first function that it lacks fails. @throws CliError */
function refuseOldNode(version: string): void {
  const { fix, message, status } = checkNode(version);
  if (status === 'failed') throw new CliError(message, { fix });
}

/** Commander has printed the message. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

function report(error: unknown, args: readonly string[]): number {
  const isVerbose = args.includes('--verbose') || (process.env['DEBUG'] ?? '') !== '';
  const message = error instanceof Error ? error.message : String(error);
  tell(`${style('✗', 'red', process.stderr)} ${plain(message)}`);
  if (error instanceof CliError) {
    if (error.fix !== undefined) tell(error.fix.replaceAll(/^/gm, '  '));
  } else if (!isVerbose && !isHalyardError(error)) tell('  --verbose shows where this happened.');
  if (isVerbose && error instanceof Error) tell(`\n${plain(stackOf(error))}`);
  return error instanceof CliError ? error.exitCode : exitCodes.failed;
}

/** Its message says what to do. */
function isHalyardError(error: unknown): boolean {
  return error instanceof Error && 'isHalyardError' in error && error.isHalyardError === true;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
