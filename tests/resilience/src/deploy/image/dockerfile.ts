import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@halyard/test-docs/documents';
import { DockerfileParser, type Instruction, ModifiableInstruction } from 'dockerfile-ast';

export const dockerfilePath = 'examples/deploy/Dockerfile';

/** A stage of a Dockerfile. */
export interface Stage {
  readonly name: string | undefined;
  readonly baseImage: string;
  readonly instructions: readonly StageInstruction[];
}

export interface StageInstruction {
  readonly keyword: string;
  /** Without flags such as `--from=build`. */
  readonly text: string;
  readonly flags: Readonly<Record<string, string>>;
}

/** How a container of the image starts. */
export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

export function dockerfileText(): string {
  return readFileSync(join(root, dockerfilePath), 'utf8');
}

export function readStages(dockerfile: string): readonly Stage[] {
  const stages: { name: string | undefined; baseImage: string; instructions: StageInstruction[] }[] = [];
  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    const keyword = instruction.getKeyword();
    const text = (instruction.getArgumentsContent() ?? '').replaceAll(/\\\n\s*/g, ' ').trim();
    if (keyword === 'FROM') {
      const [baseImage = '', , name] = text.split(/\s+/);
      stages.push({ name, baseImage, instructions: [] });
    } else stages.at(-1)?.instructions.push({ keyword, text, flags: flagsOf(instruction) });
  }
  return stages;
}

/** The settings of the last stage. */
export function readImageSettings(stages: readonly Stage[]): ImageSettings {
  const instructions = stages.at(-1)?.instructions ?? [];
  const last = (keyword: string): string => instructions.findLast((one) => one.keyword === keyword)?.text ?? '';
  return {
    env: Object.assign(
      {},
      ...instructions.filter(({ keyword }) => keyword === 'ENV').map(({ text }) => variables(text)),
    ),
    workdir: last('WORKDIR'),
    user: last('USER'),
    entrypoint: execForm(last('ENTRYPOINT')),
    command: execForm(last('CMD')),
    healthcheck: execForm(last('HEALTHCHECK').replace(/^CMD\s+/, '')),
  };
}

/** `A=1 B=2`, without quotes. */
export function variables(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(/\s+/).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

/**
 * The list of a command in exec form. The shell form starts a shell, which does not pass on
 * signals.
 */
function execForm(text: string): readonly string[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error(`${text} is not in exec form`);
  return list.map(String);
}

function flagsOf(instruction: Instruction): Readonly<Record<string, string>> {
  const flags = instruction instanceof ModifiableInstruction ? instruction.getFlags() : [];
  return Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? '']));
}
