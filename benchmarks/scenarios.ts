import { prompts, tokenSecret } from './apps/workload.ts';
import type { Load } from './harness/closed-loop.ts';
import type { Environments } from './harness/comparison.ts';
import { isAgentList, isRunResult, isRunStream, isStream, isText, isTextAfterTool } from './harness/replies.ts';
import { generate, get, remember, runWorkflow } from './harness/requests.ts';

/** The figures of a round; the unit is in the name. */
export type FigureName =
  | 'cpuMsPerRequest'
  | 'firstDeltaMs'
  | 'costRatio'
  | 'listMs'
  | 'tracesMs'
  | 'historyMs'
  | 'startMs'
  | 'residentMb';

/** One line of the table. */
export interface Row {
  readonly label: string;
  readonly figure: FigureName;
  /** Figures are shown as multiples of the figure of `limit`, instead of in their unit. */
  readonly relative: boolean;
  /** The highest value that Halyard may reach. A row without it is printed for information only. */
  readonly must?: number;
}

export interface Scenario {
  readonly id: string;
  /** Absent if the start of the process or the reading of recorded runs is measured. */
  readonly load?: Load;
  /** Only Halyard is measured: the time to list recorded runs. */
  readonly readsTelemetry?: true;
  /** Only Halyard is measured, in two groups of processes with different environments. */
  readonly compare?: Environments;
  /** Override the number and length of rounds if answers take long. */
  readonly rounds?: number;
  readonly seconds?: number;
  readonly rows: readonly Row[];
}

/** The table of performance targets, in this order. */
export const scenarios: readonly Scenario[] = [
  {
    id: 'agents',
    load: { clients: 32, request: get('/agents'), check: isAgentList },
    rows: [cpu('GET /agents, 32 clients', 2)],
  },
  {
    id: 'text-32',
    load: { clients: 32, request: generate('text', prompts.paced), check: isText },
    rows: [cpu('text, 32 clients', 2.5)],
  },
  {
    id: 'text-1',
    load: { clients: 1, request: generate('text', prompts.paced), check: isText },
    rows: [cpu('text, 1 client', 2.5)],
  },
  {
    id: 'stream-1',
    load: { clients: 1, request: generate('stream', prompts.paced), check: isStream },
    rows: [{ label: 'first chunk p50, 1 client', figure: 'firstDeltaMs', relative: false, must: 0.5 }],
  },
  {
    id: 'stream-32',
    load: { clients: 32, request: generate('stream', prompts.paced), check: isStream },
    rows: [cpu('stream, 32 clients', 2)],
  },
  {
    id: 'stream-256',
    load: { clients: 256, request: generate('stream', prompts.paced), check: isStream },
    rounds: 3,
    seconds: 2,
    rows: [
      cpu('stream, 256 clients', 2),
      { label: 'first chunk p50, 256 clients', figure: 'firstDeltaMs', relative: false, must: 60 },
    ],
  },
  {
    id: 'burst',
    load: { clients: 32, request: generate('stream', prompts.burst), check: isStream },
    rows: [cpu('stream, all deltas at once, 32')],
  },
  {
    id: 'memory',
    load: { clients: 32, request: remember(), check: isText },
    rows: [cpu('text with memory, 32 clients', 4)],
  },
  {
    id: 'growth',
    load: { clients: 32, request: remember(), check: isText },
    compare: { plain: { STORED_MESSAGES: '1000' }, other: { STORED_MESSAGES: '50000' } },
    rows: [
      { label: 'with memory, 50 k stored : 1 k', figure: 'costRatio', relative: false, must: 1.2 },
      { label: 'list of 20, 50 k stored', figure: 'listMs', relative: false, must: 3 },
    ],
  },
  {
    id: 'auth',
    load: { clients: 32, request: generate('text', prompts.paced, tokenSecret), check: isText },
    compare: { plain: {}, other: { JWT_SECRET: tokenSecret } },
    rows: [{ label: 'text, with a JWT : without', figure: 'costRatio', relative: false, must: 1.25 }],
  },
  ...(['text', 'stream', 'tool', 'workflow'] as const).map(recording),
  {
    id: 'telemetry-reads',
    readsTelemetry: true,
    rows: [
      { label: 'list of traces, 10 000 spans', figure: 'tracesMs', relative: false, must: 5 },
      { label: 'history of an agent, the same', figure: 'historyMs', relative: false, must: 5 },
    ],
  },
  {
    id: 'tool',
    load: { clients: 32, request: generate('text', prompts.tool), check: isTextAfterTool },
    rows: [cpu('tool round trip, 32 clients', 4)],
  },
  {
    id: 'workflow',
    load: { clients: 32, request: runWorkflow('execute'), check: isRunResult },
    rows: [cpu('workflow of 5 trivial steps', 4)],
  },
  {
    id: 'workflow-stream',
    load: { clients: 32, request: runWorkflow('stream'), check: isRunStream },
    rows: [cpu('stream of that workflow', 3.5)],
  },
  {
    id: 'start',
    rows: [
      { label: 'start to first 200', figure: 'startMs', relative: true, must: 3.5 },
      { label: 'RSS idle', figure: 'residentMb', relative: false, must: 130 },
    ],
  },
];

/** The cost of recording spans: servers that record, compared with servers that do not. */
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
    rows: [{ label: `${kind}, recorded : not`, figure: 'costRatio', relative: false, must: 1.5 }],
  };
}

function cpu(label: string, must?: number): Row {
  return { label, figure: 'cpuMsPerRequest', relative: true, ...(must !== undefined && { must }) };
}
