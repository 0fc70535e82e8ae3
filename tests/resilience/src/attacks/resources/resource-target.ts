import type { AttackRun } from '../harness/attack.ts';
import type { SoakRequest } from '../soak/requests.ts';
import type { MemoryReport } from './measured-process.ts';
import { type MeasuredOptions, MeasuredTarget } from './measured-target.ts';
import { OutsideTarget } from './outside-target.ts';

export type Headers = Readonly<Record<string, string>>;

/**
 * A server whose resources are attacked. Figures of a process that cannot be measured are NaN: they
 * are never too large, and are shown as `not measured`.
 */
export interface ResourceTarget {
  readonly origin: string;
  readonly hostname: string;
  readonly port: number;
  /** The address that attackers connect from, so that they are callers of their own. */
  readonly localAddress: string | undefined;
  readonly isAlive: boolean;
  /** Whether it is the own target, with its agents and workflows. */
  readonly isOwn: boolean;
  /** An agent that anybody with a token may call. */
  readonly agent: string;
  /** A small request of another caller, and the status of its reply. */
  readonly bystander: SoakRequest;
  /** The credentials of an attacker. The own target accepts any name. */
  readonly headersOf: (attacker: string) => Headers;
  /** The credentials for `/ws`. */
  readonly socketHeaders: Headers;
  readonly report: () => Promise<MemoryReport>;
  readonly untilSteady: () => Promise<MemoryReport>;
  readonly untilSockets: (count: number) => Promise<MemoryReport>;
  readonly close: () => Promise<void>;
}

/** The server of `--url`, else a new server in its own process. */
export function openResourceTarget({ server }: AttackRun, options: MeasuredOptions = {}): Promise<ResourceTarget> {
  return server === undefined ? MeasuredTarget.start(options) : OutsideTarget.open(server);
}

/** A figure with its unit. */
export function figure(value: number, unit: string, digits = 0): string {
  return Number.isNaN(value) ? 'not measured' : `${value.toFixed(digits)} ${unit}`;
}
