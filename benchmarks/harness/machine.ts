import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';

const driverCore = '1';

/** Pins this process, the driver, to its own core. Throws if the machine does not support this. */
export function pinDriver(): void {
  if (process.platform !== 'linux' || availableParallelism() < 2) {
    throw new Error(
      'The benchmarks need Linux (taskset and /proc) and two cores: one for the server, one for the driver',
    );
  }
  execFileSync('taskset', ['-a', '-c', '-p', driverCore, String(process.pid)], { stdio: 'ignore' });
}

export function describeMachine(): string {
  const [model] = cpus();
  const load = loadavg()[0] ?? 0;
  const warning = load > 0.5 ? ' (the machine is busy: use only ratios, and only of the same run)' : '';
  return `Node ${process.versions.node}, ${model?.model.trim()}, ${cpus().length} cores, load ${load.toFixed(1)}${warning}`;
}
