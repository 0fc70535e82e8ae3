import { prompts, tokenSecret } from './apps/workload.ts';
import { isAgentList, isRunResult, isRunStream, isStream, isText, isTextAfterTool } from './harness/answers.ts';
import type { Load } from './harness/closed-loop.ts';
import type { Environments } from './harness/comparison.ts';
import { generate, get, remember, runWorkflow } from './harness/requests.ts';

/** What a round can measure; the unit is in the name. */
export type FigureName = 'cpuMsPerRequest' | 'firstDeltaMs' | 'costRatio' | 'listMs' | 'startMs' | 'residentMb';

/** One line of the table. `relative` ones read as a multiple of the limit app, the others in their unit. */
export interface Row {
  readonly label: string;
  readonly figure: FigureName;
  readonly relative: boolean;
  readonly aim: number;
  readonly must: number;
  /** The greatest share of the bare app's figure. */
  readonly mustOfBare?: number;
}

export interface Scenario {
  readonly id: string;
  /** Absent where the start of the process is what is measured. */
  readonly load?: Load;
  /** Only ours is measured, in two processes. */
  readonly compare?: Environments;
  /** Rounds and seconds where an answer takes so long that the defaults would not do. */
  readonly rounds?: number;
  readonly seconds?: number;
  readonly rows: readonly Row[];
}

/** The table of the performance targets, in its order. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'agents',
    load: { clients: 32, request: get('/agents'), check: isAgentList },
    rows: [cpu('GET /agents, 32 clients', 1.3, 2)],
  },
  {
    id: 'text-32',
    load: { clients: 32, request: generate('text', prompts.paced), check: isText },
    rows: [cpu('text, 32 clients', 2, 3, 0.4)],
  },
  {
    id: 'text-1',
    load: { clients: 1, request: generate('text', prompts.paced), check: isText },
    rows: [cpu('text, 1 client', 1.5, 2, 0.5)],
  },
  {
    id: 'stream-1',
    load: { clients: 1, request: generate('stream', prompts.paced), check: isStream },
    rows: [{ label: 'first chunk p50, 1 client', figure: 'firstDeltaMs', relative: false, aim: 0.3, must: 0.5 }],
  },
  {
    id: 'stream-32',
    load: { clients: 32, request: generate('stream', prompts.paced), check: isStream },
    rows: [cpu('stream, 32 clients', 1.4, 2, 0.4)],
  },
  {
    id: 'stream-256',
    load: { clients: 256, request: generate('stream', prompts.paced), check: isStream },
    rounds: 3,
    seconds: 2,
    rows: [
      cpu('stream, 256 clients', 1.4, 2, 0.25),
      { label: 'first chunk p50, 256 clients', figure: 'firstDeltaMs', relative: false, aim: 25, must: 60 },
    ],
  },
  {
    id: 'burst',
    load: { clients: 32, request: generate('stream', prompts.burst), check: isStream },
    rows: [cpu('stream, all deltas at once, 32', 1.5, 3, 0.25)],
  },
  {
    id: 'memory',
    load: { clients: 32, request: remember(), check: isText },
    rows: [cpu('text with memory, 32 clients', 2.5, 4, 0.45)],
  },
  {
    id: 'growth',
    load: { clients: 32, request: remember(), check: isText },
    compare: { plain: { STORED_MESSAGES: '1000' }, other: { STORED_MESSAGES: '50000' } },
    rows: [
      { label: 'its cost, 50 k stored : 1 k', figure: 'costRatio', relative: false, aim: 1.05, must: 1.2 },
      { label: 'list of 20, 50 k stored', figure: 'listMs', relative: false, aim: 1, must: 3 },
    ],
  },
  {
    id: 'auth',
    load: { clients: 32, request: generate('text', prompts.paced, tokenSecret), check: isText },
    compare: { plain: {}, other: { JWT_SECRET: tokenSecret } },
    rows: [{ label: 'text, with a JWT : without', figure: 'costRatio', relative: false, aim: 1.15, must: 1.25 }],
  },
  ...(['text', 'stream', 'tool', 'workflow'] as const).map(recording),
  {
    id: 'tool',
    load: { clients: 32, request: generate('text', prompts.tool), check: isTextAfterTool },
    rows: [cpu('tool round trip, 32 clients', 3, 5, 0.45)],
  },
  {
    id: 'workflow',
    load: { clients: 32, request: runWorkflow('execute'), check: isRunResult },
    rows: [cpu('workflow of 5 trivial steps', 2, 3)],
  },
  {
    id: 'workflow-stream',
    load: { clients: 32, request: runWorkflow('stream'), check: isRunStream },
    rows: [cpu('its stream', 1.5, 2.5)],
  },
  {
    id: 'start',
    rows: [
      { label: 'start to first 200', figure: 'startMs', relative: false, aim: 400, must: 600 },
      { label: 'RSS idle', figure: 'residentMb', relative: false, aim: 100, must: 130 },
    ],
  },
];

/** What it costs that spans are recorded: a server that does, and one that does not. */
function recording(kind: 'text' | 'stream' | 'tool' | 'workflow'): Scenario {
  const loads: Readonly<Record<typeof kind, Load>> = {
    text: { clients: 32, request: generate('text', prompts.paced), check: isText },
    stream: { clients: 32, request: generate('stream', prompts.paced), check: isStream },
    tool: { clients: 32, request: generate('text', prompts.tool), check: isTextAfterTool },
    workflow: { clients: 32, request: runWorkflow('execute'), check: isRunResult },
  };
  return {
    id: `recording-${kind}`,
    load: loads[kind],
    compare: { plain: { TELEMETRY: 'off' }, other: {} },
    rows: [{ label: `${kind}, recorded : not`, figure: 'costRatio', relative: false, aim: 1.15, must: 1.25 }],
  };
}

function cpu(label: string, aim: number, must: number, mustOfBare?: number): Row {
  return {
    label,
    figure: 'cpuMsPerRequest',
    relative: true,
    aim,
    must,
    ...(mustOfBare !== undefined && { mustOfBare }),
  };
}
