import { spawn } from 'node:child_process';

/** Runs a program and returns its standard output. If it fails, rejects with its whole output. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...cleanEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    let everything = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      everything += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      everything += text;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ${args.join(' ')} exited ${code}\n${everything}`)),
    );
  });
}

/** Removes the settings that pnpm passes to its scripts, because npm would use them too. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(p?npm_|NODE_OPTIONS$)/i.test(name)));
}
